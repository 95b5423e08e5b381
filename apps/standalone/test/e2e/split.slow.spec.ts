import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { io } from 'socket.io-client';
import { freePort, freePorts } from '@family-watch/testing/network/free-ports';
import { needs } from '@family-watch/testing/requirements/needs';
import { deleteStreams } from '@family-watch/testing/service/nats';
import { natsUrl } from '@family-watch/testing/service/nats-url';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { connectionsEndedByDatabase, TerminalProgram } from '../support/terminal-program.js';

const natsPrefix = `split-${process.pid}`;
/** The proxy listens on this port, the three apps on the next ones. */
const [proxyPort = 0] = await freePorts(4);

let dataDir: string;
let server: TerminalProgram;

function startSplit(variables: NodeJS.ProcessEnv): void {
  server = TerminalProgram.start('apps/standalone/dist/split/main.js', {
    ...process.env,
    NATS_URL: natsUrl,
    NATS_PREFIX: natsPrefix,
    PORT: String(proxyPort),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    ...variables,
  });
}

const withOutput = (what: string) => () => `${what}:\n${server.output.slice(-4_000)}`;

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'fw-split-'));
  chmodSync(dataDir, 0o711);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe('npm run dev -- --split without NATS', () => {
  test('prints how to start a NATS server and exits', async () => {
    const port = await freePort();
    startSplit({ NATS_URL: `nats://127.0.0.1:${port}` });
    expect(await server.exit).toEqual([1, null]);
    expect(server.output).toContain(`no NATS server answers at 127.0.0.1:${port}`);
    expect(server.output).toContain('compose.dev.yml');
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
  });
});

describe('npm run dev -- --split with PORT=0', () => {
  test('names the wrong variable and exits', async () => {
    startSplit({ PORT: '0' });
    expect(await server.exit).toEqual([1, null]);
    expect(server.output).toContain('PORT must not be 0: the ports of the apps follow it');
  });
});

needs('nats').describe('separate processes with NATS', () => {
  let url: string;
  let documentsWhileStarting: Response;

  beforeAll(async () => {
    startSplit({});
    const [, proxyUrl = ''] = await server.waitForOutput(/Family Watch is starting at (http\S+)/);
    documentsWhileStarting = await fetch(`${proxyUrl}/docs`);
    url = await server.waitForUrl();
  }, 540_000);
  afterAll(async () => {
    server.kill('SIGTERM');
    await server.exit;
    await deleteStreams(natsPrefix);
  });

  test('npm run dev -- --split responds 503 to a request for the API documents while the apps start', () => {
    const { status, headers } = documentsWhileStarting;
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, expect.any(Number)]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('npm run dev -- --split prints the URLs of the service', () => {
    expect(server.output).toContain(`console     ${url}/`);
    expect(server.output).toContain(`documents   ${url}/docs`);
    expect(server.output).toContain(`SMS codes   ${join(dataDir, 'sms-outbox.jsonl')}`);
    expect(server.output).toMatch(/userctx {5}http:\/\/127\.0\.0\.1:\d+\n {2}mcdisk {6}http.*\n {2}gateway {5}http/);
  });

  test('npm run dev -- --split serves health checks, public keys, API documents and the operations of each app at one URL', async () => {
    const expected = {
      '/health/live': 200,
      '/health/ready': 200,
      '/.well-known/jwks.json': 200,
      '/children/some-id/bind': 200,
      '/console-assets/none.js': 404,
      '/docs': 200,
      '/docs/openapi.json': 200,
      '/docs/asyncapi.json': 200,
      '/docs/../secret.key': 404,
      '/apis/v2/userctx/user/child/get': 401,
      '/hmd-wx/api/v2/userctx/user/child/get': 401,
      '/app-api/mcdisk/blob/none': 404,
      '/secret.key': 404,
    };
    const paths = Object.keys(expected);
    const seen = await Promise.all(paths.map(async (path) => [path, await statusOf(url + path)] as const));
    expect(Object.fromEntries(seen)).toEqual(expected);
  });

  test('npm run dev -- --split forwards WebSockets to the gateway', async () => {
    const socket = io(url, { transports: ['websocket'], reconnection: false, auth: { token: 'none' } });
    const refusal = await new Promise<Error & { data?: { reason?: string } }>((settle) =>
      socket.on('connect_error', settle),
    );
    socket.close();
    expect(refusal.data?.reason).toMatch(/^TOKEN_/);
  });

  test('npm run dev -- --split restarts a killed app and responds 503 until the app is ready', async () => {
    const [, pid] = /"pid":(\d+),[^\n]*"name":"mcdisk"/.exec(server.output) ?? [];
    process.kill(Number(pid), 'SIGKILL');
    await waitUntil(withOutput('mcdisk is not ready'), async () => (await statusOf(`${url}/health/ready`)) === 503);
    expect(await statusOf(`${url}/app-api/mcdisk/blob/none`)).toBe(503);
    expect(await statusOf(`${url}/apis/v2/userctx/user/child/get`)).toBe(401);
    await waitUntil(withOutput('mcdisk is ready again'), async () => (await statusOf(`${url}/health/ready`)) === 200);
    expect(server.output).toContain('mcdisk exited (SIGKILL), restarting in 0.5 s');
  }, 360_000);

  test('npm run dev -- --split stops all app processes before the database on Ctrl-C', async () => {
    const endedBefore = connectionsEndedByDatabase(dataDir);
    server.interrupt();
    expect(await server.exit).toEqual([0, null]);
    expect(server.loggedPids.filter(isAlive)).toEqual([]);
    expect(connectionsEndedByDatabase(dataDir)).toEqual(endedBefore);
    expect(server.errorLines).toEqual([]);
    expect(server.output).not.toContain('"stack"');
  });

  test.each([
    ['the migrations run', /Baseline1790000000001|Nothing to migrate/],
    ['the apps start', /"name":"(userctx|mcdisk|gateway)"/],
  ])(
    'npm run dev -- --split stops all processes on Ctrl-C while %s',
    async (_, pattern) => {
      startSplit({});
      await server.waitForOutput(pattern);
      server.interrupt();
      expect(await server.exit).toEqual([0, null]);
      expect(server.output).not.toContain('is ready at');
      expect(server.loggedPids.filter(isAlive)).toEqual([]);
      expect(server.errorLines).toEqual([]);
    },
    540_000,
  );

  test('npm run dev -- --split leaves no app process running when its own process is killed', async () => {
    startSplit({});
    await server.waitForUrl();
    const pids = server.loggedPids;
    expect(pids.length).toBeGreaterThanOrEqual(4);
    server.kill('SIGKILL');
    await waitUntil(withOutput('all processes have ended'), () => !pids.some(isAlive));
  }, 540_000);
});
