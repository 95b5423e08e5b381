import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ApiError } from '../../src/api-error.js';
import { GatewayClient, type GatewayClientOptions } from '../../src/socket/gateway-client.js';
import { RefreshingTokenSource } from '../../src/tokens/refreshing-token-source.js';
import { ScriptedGateway } from '../support/scripted-gateway.js';

const LONG_TTL_SECONDS = 600;

/** Creates a source of the tokens `token 1`, `token 2`, … */
function createNumberedTokens(expiresIn = LONG_TTL_SECONDS): RefreshingTokenSource {
  let count = 0;
  return new RefreshingTokenSource({
    requestToken: () => {
      count += 1;
      return Promise.resolve({ accessToken: `token ${count}`, expiresIn });
    },
  });
}

describe('GatewayClient', () => {
  let gateway: ScriptedGateway;
  let client: GatewayClient;
  let received: number[];

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    received = [];
  });

  afterEach(async () => {
    client.stop();
    await gateway.stop();
  });

  async function connectClient(options: Partial<GatewayClientOptions> = {}): Promise<GatewayClient> {
    client = new GatewayClient({ url: gateway.url, tokens: createNumberedTokens(), ...options });
    client.onMessage('ContactsChangeNoticeMessage', ({ payload }) => received.push(payload.version));
    client.start();
    await client.whenConnected();
    return client;
  }

  test('sends a cursor in the handshake only when a cursor is stored', async () => {
    await connectClient();
    expect(gateway.handshakes).toEqual([{ token: 'token 1' }]);
    client.stop();
    await connectClient({ cursor: { last: 5, epoch: 1 } });
    expect(gateway.handshakes[1]).toEqual({ token: 'token 1', last: 5, epoch: 1 });
  });

  test('sends cumulative acknowledgements for the messages that its callbacks have handled', async () => {
    let finish = (): void => undefined;
    await connectClient();
    client.onMessage('message', ({ seq }) =>
      seq === 2 ? new Promise<void>((resolve) => (finish = resolve)) : undefined,
    );
    gateway.sendRange(0, [1]);
    gateway.sendRange(1, [2, 3]);
    await waitUntil('message 2', () => received.includes(2));
    await waitUntil('its acknowledgement', () => gateway.receivedPayloads('AckMessage').length === 1);
    expect(gateway.receivedPayloads('AckMessage')).toEqual([{ seq: 1 }]);
    finish();
    await waitUntil('the second acknowledgement', () => gateway.receivedPayloads('AckMessage').length === 2);
    expect(gateway.receivedPayloads('AckMessage')[1]).toEqual({ seq: 3 });
  });

  test('reconnects with the last sequence number when frames are missing, and drops frames after the gap', async () => {
    await connectClient();
    const gaps: unknown[] = [];
    client.on('gap', (gap) => gaps.push(gap));
    gateway.sendRange(0, [1, 2]);
    gateway.sendRange(4, [5]);
    gateway.sendRange(5, [6]);
    await waitUntil('the second handshake', () => gateway.handshakes.length === 2);
    expect(gateway.handshakes[1]).toMatchObject({ last: 2, epoch: 1 });
    await client.whenConnected();
    gateway.sendRange(2, [3, 4, 5, 6]);
    await waitUntil('all messages', () => received.length === 6);
    expect(received).toEqual([1, 2, 3, 4, 5, 6]);
    expect(gaps).toEqual([{ expected: 2, received: 4 }]);
  });

  test('resumes at its cursor after a network failure and resends the lost acknowledgement', async () => {
    await connectClient({ responseTimeout: 10_000 });
    gateway.createResponse = (event) => (event === 'AckMessage' ? 'silence' : { ok: true, time: 0 });
    gateway.sendRange(0, [1, 2]);
    await waitUntil('the acknowledgement', () => gateway.receivedPayloads('AckMessage').length === 1);
    gateway.createResponse = undefined;
    gateway.disconnectAll(false);
    await waitUntil('the second handshake', () => gateway.handshakes.length === 2);
    expect(gateway.handshakes[1]).toEqual({ token: 'token 1', last: 2, epoch: 1 });
    await waitUntil('the resent acknowledgement', () => gateway.receivedPayloads('AckMessage').length === 2);
    expect(gateway.receivedPayloads('AckMessage')).toEqual([{ seq: 2 }, { seq: 2 }]);
  });

  test('refreshes its token without reconnecting', async () => {
    await connectClient({ tokens: createNumberedTokens(1) });
    await waitUntil('the refreshed tokens', () => gateway.receivedPayloads('token').length >= 2);
    expect(gateway.receivedPayloads('token').slice(0, 2)).toEqual([{ token: 'token 2' }, { token: 'token 3' }]);
    expect(gateway.handshakes).toHaveLength(1);
  });

  test('requests a new token when the service disconnects the client or rejects the token', async () => {
    gateway.rejectedToken = 'token 1';
    await connectClient();
    expect(gateway.handshakes.map(({ token }) => token)).toEqual(['token 1', 'token 2']);
    gateway.disconnectAll(true);
    await waitUntil('the third handshake', () => gateway.handshakes.length === 3);
    expect(gateway.handshakes[2]?.token).toBe('token 3');
  });

  test('reconnects after the delay that the service advised last', async () => {
    gateway.reconnectAdvice = { minDelay: 0, maxDelay: 0 };
    await connectClient();
    gateway.sendAdviceToAll({ minDelay: 400, maxDelay: 450 });
    // The response arrives after the advice.
    await client.send('HeartbeatMessage', {});
    const disconnectedAt = performance.now();
    gateway.disconnectAll(false);
    await waitUntil('the reconnection', () => gateway.handshakes.length === 2);
    expect(performance.now() - disconnectedAt).toBeGreaterThanOrEqual(395);
  });

  test('stops reconnecting when refreshed tokens are rejected as well', async () => {
    const tokens = new RefreshingTokenSource({
      requestToken: () => Promise.resolve({ accessToken: 'bad', expiresIn: 600 }),
    });
    gateway.rejectedToken = 'bad';
    await expect(connectClient({ tokens })).rejects.toMatchObject({ status: 401, reason: 'TOKEN_INVALID' });
    await expect(client.whenConnected()).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    expect(gateway.handshakes).toHaveLength(2);
  });

  test('emits only closed when the service rejects the token and permanently refuses a new one', async () => {
    let count = 0;
    const tokens = new RefreshingTokenSource({
      requestToken: () => {
        count += 1;
        const refusal = new ApiError({ status: 401, code: 401001, reason: 'TOKEN_INVALID', message: 'Signed out' });
        return count === 1 ? Promise.resolve({ accessToken: 'token 1', expiresIn: 600 }) : Promise.reject(refusal);
      },
    });
    gateway.rejectedToken = 'token 1';
    client = new GatewayClient({ url: gateway.url, tokens });
    const events: string[] = [];
    client.on('error', () => events.push('error'));
    client.on('closed', () => events.push('closed'));
    client.start();
    await expect(client.whenConnected()).rejects.toMatchObject({ status: 401 });
    await sleep(50);
    expect(events).toEqual(['closed']);
  });

  test('throws ApiError for an error response and NetworkError without a response or connection', async () => {
    await connectClient();
    const send = () => client.send('LocationPointChangeMessage', { points: [] });
    gateway.createResponse = () => ({ ok: false, code: 403007, reason: 'WATCH_UNBOUND', message: 'unbound' });
    await expect(send()).rejects.toMatchObject({ name: 'ApiError', status: 403, reason: 'WATCH_UNBOUND' });
    client.stop();
    await connectClient({ responseTimeout: 50 });
    gateway.createResponse = () => 'silence';
    await expect(send()).rejects.toMatchObject({ name: 'NetworkError' });
    client.stop();
    await expect(send()).rejects.toMatchObject({ name: 'NetworkError' });
  });

  test('sends heartbeats at the interval given in hello', async () => {
    gateway.heartbeatInterval = 0.05;
    await connectClient({ heartbeat: () => ({ battery: 83 }) });
    await waitUntil('three heartbeats', () => gateway.receivedPayloads('HeartbeatMessage').length >= 3);
    expect(gateway.receivedPayloads('HeartbeatMessage')[2]).toEqual({ battery: 83 });
  });

  test('emits error when a callback throws, and continues with the next message', async () => {
    await connectClient();
    const errors: unknown[] = [];
    client.on('error', (error) => errors.push(error));
    client.onMessage('message', ({ seq }) => {
      if (seq === 1) throw new Error('a bug of the app');
    });
    gateway.sendRange(0, [1, 2]);
    await waitUntil('the acknowledgement', () => gateway.receivedPayloads('AckMessage').length === 1);
    expect(received).toEqual([1, 2]);
    expect(errors).toEqual([new Error('a bug of the app')]);
  });
});
