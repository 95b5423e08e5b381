import { setTimeout as sleep } from 'node:timers/promises';
import { Recorder } from '../load/recorder.js';
import { atMost, figure } from '../report/result.js';
import type { BenchResult } from '../report/result.js';
import { residentBytesOf } from '../servers/process-figures.js';
import type { ServerProcess } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment, guardianOf, watchOf } from './gateway-environment.js';

/** Seconds: nobody's heartbeat falls into the minute that is measured. */
const HEARTBEAT_INTERVAL = 3_600;
const WARM_UP = 200;
const SETTLE_MS = 15_000;
const COLLECTIONS = 3;
const KILOBYTE = 1_024;
const GOAL_KB = 20;
/** Ports of one address are not enough for more than about 28,000 connections. */
const PER_ADDRESS = 20_000;

/** Resident memory that an idle, authenticated connection costs the gateway. */
export async function b3(context: BenchContext): Promise<BenchResult> {
  const { connections } = context.options;
  const world = await GatewayEnvironment.start(context);
  const collector = new URL('../servers/collect-garbage.js', import.meta.url).href;
  const nodeArgs = ['--expose-gc', '--import', collector];
  const { process: server, endpoint } = await world.startGateway({ heartbeatInterval: HEARTBEAT_INTERVAL, nodeArgs });
  const households = await world.seedFamilies(Math.ceil(connections / 2));
  const recorder = new Recorder();
  const all = households.flatMap((household, index) => {
    const from = { ...endpoint, localAddress: `127.0.0.${2 + Math.floor((2 * index) / PER_ADDRESS)}` };
    return [guardianOf(household, from, recorder), watchOf(household, from, recorder)];
  });
  // Code is compiled and pools are filled before the first measurement, so that they are nobody's share.
  for (const session of await world.openAll(all.slice(0, WARM_UP))) session.close();
  const before = await restingBytes(server);
  const startedAt = performance.now();
  const sessions = await world.openAll(all.slice(0, connections));
  const connecting = (performance.now() - startedAt) / 1_000;
  const unsettled = residentBytesOf(server.pid);
  const after = await restingBytes(server);
  const lost = sessions.reduce((sum, { reconnects }) => sum + reconnects, 0);
  for (const session of sessions) session.close();
  const perConnection = (after - before) / connections / KILOBYTE;
  const lines = [
    atMost('B3', `memory per connection, ${connections} idle ones`, perConnection, GOAL_KB, 'KB'),
    figure('B3', 'the same before garbage is collected', (unsettled - before) / connections / KILOBYTE, 'KB'),
    figure('B3', 'connections opened', connections / connecting, 'per second'),
    { bench: 'B3', what: 'connections lost', value: String(lost), goal: '0', passed: lost === 0 },
  ];
  return { bench: 'B3', lines, figures: { connections, before, unsettled, after, perConnection, connecting, lost } };
}

/** Resident bytes after the server has settled and collected its garbage. */
async function restingBytes(server: ServerProcess): Promise<number> {
  await sleep(SETTLE_MS);
  for (let time = 0; time < COLLECTIONS; time++) {
    server.signal('SIGUSR2');
    await sleep(2_000);
  }
  return residentBytesOf(server.pid);
}
