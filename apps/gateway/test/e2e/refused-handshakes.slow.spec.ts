import { expect, test } from '@jest/globals';
import { io } from 'socket.io-client';
import { metricsRegistry } from '@family-watch/platform/observability/instruments';
import { user } from '../support/gateway-test-environment.js';
import { environment, node, startGateway } from '../support/suite-gateway.js';

/** Refusals of one token after which it is not verified again. */
const VERIFIED_REFUSALS = 10;

startGateway({ TRUSTED_PROXIES: '127.0.0.1' }, 1);

// An own node: the suite counts refusals, also those in the log and in the metrics of the process.

/** Connects behind a trusted proxy as the client with this IP address. @returns the reason of the refusal */
async function connectFrom(address: string, token: string): Promise<{ reason: string; retryAfter?: number }> {
  const socket = io(node.url, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    auth: { token },
    extraHeaders: { 'x-forwarded-for': address },
  });
  try {
    return await new Promise((resolve) => {
      socket.on('connect', () => resolve({ reason: 'connected' }));
      socket.on('connect_error', (error) => resolve((error as unknown as { data: { reason: string } }).data));
    });
  } finally {
    socket.disconnect();
  }
}

const refusedTotal = async (reason: string): Promise<number> => {
  const metric = await metricsRegistry.getSingleMetric('family_watch_socket_refused_handshakes_total')?.get();
  return metric?.values.find(({ labels }) => labels['reason'] === reason)?.value ?? 0;
};

test('a client that keeps reconnecting with a refused token is told to wait, and gets the answer late', async () => {
  const before = await refusedTotal('TOKEN_INVALID');
  for (let attempt = 1; attempt <= VERIFIED_REFUSALS; attempt += 1)
    expect(await connectFrom('192.0.2.1', 'invalid')).toMatchObject({ reason: 'TOKEN_INVALID' });
  const startedAt = performance.now();
  expect(await connectFrom('192.0.2.1', 'invalid')).toMatchObject({ reason: 'RATE_LIMITED', retryAfter: 60 });
  expect(performance.now() - startedAt).toBeGreaterThan(4_000);
  expect((await refusedTotal('TOKEN_INVALID')) - before).toBe(VERIFIED_REFUSALS);
});

test('neither another token from the same address nor the same token from another address is affected', async () => {
  for (let attempt = 0; attempt <= VERIFIED_REFUSALS; attempt += 1) await connectFrom('192.0.2.2', 'invalid');
  expect(await connectFrom('192.0.2.2', await environment.tokenOf(user()))).toEqual({ reason: 'connected' });
  expect(await connectFrom('192.0.2.2', 'also invalid')).toMatchObject({ reason: 'TOKEN_INVALID' });
  expect(await connectFrom('192.0.2.3', 'invalid')).toMatchObject({ reason: 'TOKEN_INVALID' });
});

test('the log has one line per address with the number of its refusals and their reasons, and no token', async () => {
  await connectFrom('198.51.100.7', 'a secret token');
  await connectFrom('198.51.100.7', '');
  // The lines of the current minute are written at the latest when the node stops.
  await node.app.close();
  const lines = node.logs.filter((line) => line.includes('Handshakes refused'));
  const ofAddress = lines.filter((line) => line.includes('198.51.100.7')).map((line) => JSON.parse(line) as object);
  expect(ofAddress).toEqual([
    expect.objectContaining({ level: 30, count: 2, reasons: { TOKEN_INVALID: 1, TOKEN_MISSING: 1 } }),
  ]);
  expect(node.logs.join('\n')).not.toContain('a secret token');
});
