import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewaySession } from '../load/gateway-session.js';
import { PacedLoad } from '../load/paced-load.js';
import { Recorder } from '../load/recorder.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { percentilesOf } from '../report/percentiles.js';
import { atMost, figure } from '../report/result.js';
import type { BenchResult } from '../report/result.js';
import { waitUntil } from '../servers/server-process.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment, guardianOf, watchOf } from './gateway-environment.js';
import type { BenchFamily } from './gateway-environment.js';
import { faultsLine, verifyRun } from './run-verification.js';

const MISSED = 50;
const LIVE_PAIRS = 100;
const LIVE_PER_SECOND = 200;
const WARM_UP_MS = 5_000;
const DRAIN_MS = 60_000;
const CATCH_UP_LIMIT_MS = 120_000;
const WRITERS_AT_ONCE = 250;
/** Seconds. */
const GOAL_CAUGHT_UP = 15;
/** Milliseconds. */
const GOAL_LIVE_P99 = 250;

/** Everybody comes back at once after a restart, each with missed messages, while others go on writing. */
export async function b4(context: BenchContext): Promise<BenchResult> {
  const { users } = context.options;
  const world = await GatewayEnvironment.start(context);
  const first = await world.startGateway();
  const households = await world.seedFamilies(users + LIVE_PAIRS);
  const [absent, live] = [households.slice(LIVE_PAIRS), households.slice(0, LIVE_PAIRS)];
  const recorder = new Recorder();
  const readers = await world.openAll(
    absent.map((household) => ({
      ...guardianOf(household, first.endpoint, recorder),
      reads: [household.conversationId],
    })),
  );
  for (const reader of readers) reader.close();
  await writeMissed(world, absent, first.endpoint, recorder);
  await first.process.stop();
  const { endpoint } = await world.startGateway({ port: first.endpoint.port });
  const clients = await world.connectPairs(endpoint, live);
  const load = new PacedLoad(clients.pairs, LIVE_PER_SECOND, 'b4-live');
  load.start();
  await sleep(WARM_UP_MS);
  load.forgetMeasured();
  const caughtUp = await catchUp(readers);
  const during = percentilesOf(load.toReceiver);
  const drained = await load.finish(DRAIN_MS);
  const faults = [
    ...(await verifyRun(context, 'b4-missed', recorder.history)),
    ...(await verifyRun(context, 'b4-live', clients.recorder.history)),
  ];
  clients.close();
  for (const reader of readers) reader.close();
  const lines = [
    atMost('B4', `${users} users back with ${MISSED} messages each`, caughtUp.last, GOAL_CAUGHT_UP, 's'),
    figure('B4', 'half of them', caughtUp.half, 's'),
    atMost('B4', 'live messages meanwhile: p99', during.p99, GOAL_LIVE_P99, 'ms'),
    figure('B4', 'live messages meanwhile: longest', during.max, 'ms'),
    faultsLine('B4', faults.length + (drained ? 0 : 1)),
  ];
  return { bench: 'B4', lines, figures: { users, missed: MISSED, caughtUp, livePerSecond: LIVE_PER_SECOND, during } };
}

/** The children write while the guardians are away. */
async function writeMissed(
  world: GatewayEnvironment,
  households: readonly BenchFamily[],
  endpoint: ServerEndpoint,
  recorder: Recorder,
): Promise<void> {
  for (let start = 0; start < households.length; start += WRITERS_AT_ONCE) {
    const writing = households.slice(start, start + WRITERS_AT_ONCE);
    const writers = await world.openAll(
      writing.map((household) => ({ ...watchOf(household, endpoint, recorder), reads: [] })),
    );
    writers.forEach((writer, index) => {
      const { conversationId, watch } = writing[index] as BenchFamily;
      for (let number = 0; number < MISSED; number++) writer.send(conversationId, `b4-${watch}-${number}`, nothing);
    });
    await waitUntil('everything was written', () =>
      Promise.resolve(writers.every(({ unanswered }) => unanswered === 0)),
    );
    for (const writer of writers) writer.close();
  }
}

/** Seconds until half of the readers, and until the last, have all that they missed. */
async function catchUp(readers: readonly GatewaySession[]): Promise<{ half: number; last: number }> {
  const doneAt: number[] = [];
  const startedAt = performance.now();
  for (const reader of readers) {
    let missing = MISSED;
    reader.onMessage = () => {
      missing -= 1;
      if (missing === 0) doneAt.push((performance.now() - startedAt) / 1_000);
    };
    void reader.open();
  }
  const isDone = () => Promise.resolve(doneAt.length === readers.length);
  await waitUntil('everybody has caught up', isDone, CATCH_UP_LIMIT_MS).catch(() => undefined);
  const nobody = Number.POSITIVE_INFINITY;
  return { half: doneAt[readers.length >> 1] ?? nobody, last: doneAt[readers.length - 1] ?? nobody };
}

const nothing = (): void => undefined;
