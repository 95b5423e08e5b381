import { setTimeout as sleep } from 'node:timers/promises';
import { Recorder } from '../load/recorder.js';
import { atMost, lineWithoutGoal, mustBeZero, type BenchResult } from '../report/result.js';
import { residentBytesOf } from '../servers/process-figures.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment, guardianSessionOptions, watchSessionOptions } from './gateway-environment.js';

/** Interval so long that no heartbeat is sent during the measurement. */
const HEARTBEAT_INTERVAL_SECONDS = 3_600;
const WARM_UP_CONNECTIONS = 200;
const IDLE_WAIT_MS = 15_000;
const GARBAGE_COLLECTIONS = 3;
const KILOBYTE_BYTES = 1_024;
const GOAL_KB = 20;
/** One local IP address has enough ports for about 28,000 connections to one server. */
const CONNECTIONS_PER_ADDRESS = 20_000;

/** Measures the gateway's resident memory per idle, authenticated connection. */
export async function runConnectionBenchmark(context: BenchContext): Promise<BenchResult> {
  const { connections } = context.options;
  const idleWaitMs = context.size(IDLE_WAIT_MS, 500);
  const environment = await GatewayEnvironment.start(context);
  const garbageCollector = new URL('../servers/collect-garbage.js', import.meta.url).href;
  const nodeArgs = ['--expose-gc', '--import', garbageCollector];
  const { process: server, endpoint } = await environment.startGateway({
    heartbeatInterval: HEARTBEAT_INTERVAL_SECONDS,
    nodeArgs,
  });
  const families = await environment.seedFamilies(Math.ceil(connections / 2));
  const recorder = new Recorder();
  const sessionOptions = families.flatMap((family, index) => {
    const localEndpoint = {
      ...endpoint,
      localAddress: `127.0.0.${2 + Math.floor((2 * index) / CONNECTIONS_PER_ADDRESS)}`,
    };
    return [
      guardianSessionOptions(family, localEndpoint, recorder),
      watchSessionOptions(family, localEndpoint, recorder),
    ];
  });
  // Opens and closes connections before the first measurement, so that code compiled and pools filled by the first
  // connections do not count as memory of the measured connections.
  for (const session of await environment.openAll(sessionOptions.slice(0, WARM_UP_CONNECTIONS))) session.close();
  const before = await measureIdleBytes(server, idleWaitMs);
  const startedAt = performance.now();
  const sessions = await environment.openAll(sessionOptions.slice(0, connections));
  const connectingSeconds = (performance.now() - startedAt) / 1_000;
  const beforeCollection = residentBytesOf(server.pid);
  const after = await measureIdleBytes(server, idleWaitMs);
  const lost = sessions.reduce((sum, { reconnects }) => sum + reconnects, 0);
  for (const session of sessions) session.close();
  const perConnection = (after - before) / connections / KILOBYTE_BYTES;
  const lines = [
    atMost('B3', `memory per connection, ${connections} idle connections`, perConnection, GOAL_KB, 'KB'),
    lineWithoutGoal(
      'B3',
      'memory per connection before garbage collection',
      (beforeCollection - before) / connections / KILOBYTE_BYTES,
      'KB',
    ),
    lineWithoutGoal('B3', 'connections opened', connections / connectingSeconds, 'per second'),
    mustBeZero('B3', 'connections lost', lost),
  ];
  return {
    bench: 'B3',
    lines,
    figures: { connections, before, beforeCollection, after, perConnection, connectingSeconds, lost },
  };
}

/** Waits until the server is idle, triggers garbage collection and returns its resident bytes. */
async function measureIdleBytes(server: ServerProcess, idleWaitMs: number): Promise<number> {
  await sleep(idleWaitMs);
  for (let time = 0; time < GARBAGE_COLLECTIONS; time++) {
    server.signal('SIGUSR2');
    await sleep(2_000);
  }
  return residentBytesOf(server.pid);
}
