import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { GatewaySession } from '../load/gateway-session.js';
import { PacedLoad } from '../load/paced-load.js';
import { Recorder } from '../load/recorder.js';
import type { ServerEndpoint } from '../load/websocket.js';
import { percentilesOf } from '../report/percentiles.js';
import { atMost, lineWithoutGoal, type BenchResult } from '../report/result.js';
import type { BenchContext } from './bench-context.js';
import {
  GatewayEnvironment,
  guardianSessionOptions,
  watchSessionOptions,
  type BenchFamily,
} from './gateway-environment.js';
import { violationsLine, verifyRun } from './run-verification.js';

const MISSED_MESSAGES = 50;
const LIVE_CHAT_PAIRS = 100;
const LIVE_MESSAGES_PER_SECOND = 200;
const WARM_UP_MS = 5_000;
const DELIVERY_TIMEOUT_MS = 60_000;
const CATCH_UP_TIMEOUT_MS = 120_000;
const WRITER_BATCH_SIZE = 250;
/** Half of the gateway's limit of connections that have not signed in, per address. */
const USERS_PER_ADDRESS = 500;
const GOAL_CAUGHT_UP_SECONDS = 6;
const GOAL_LIVE_P99_MS = 250;

/**
 * Measures how long many users take to receive their missed messages when all reconnect concurrently after a restart of
 * the gateway, while other users continue to send messages.
 */
export async function runReconnectBenchmark(context: BenchContext): Promise<BenchResult> {
  const { users } = context.options;
  const environment = await GatewayEnvironment.start(context);
  const first = await environment.startGateway();
  const families = await environment.seedFamilies(users + LIVE_CHAT_PAIRS);
  const [offline, live] = [families.slice(LIVE_CHAT_PAIRS), families.slice(0, LIVE_CHAT_PAIRS)];
  const recorder = new Recorder();
  const readers = await environment.openAll(
    offline.map((family, index) => {
      const localAddress = `127.0.0.${2 + Math.floor(index / USERS_PER_ADDRESS)}`;
      const endpoint = { ...first.endpoint, localAddress };
      return {
        ...guardianSessionOptions(family, endpoint, recorder),
        readConversationIds: [family.conversationId],
      };
    }),
  );
  for (const reader of readers) reader.close();
  await sendMissedMessages(environment, offline, first.endpoint, recorder);
  await first.process.stop();
  const { endpoint } = await environment.startGateway({ port: first.endpoint.port });
  const clients = await environment.connectPairs(endpoint, live);
  const load = new PacedLoad(clients.pairs, LIVE_MESSAGES_PER_SECOND, 'b4-live');
  load.start();
  await sleep(context.warmUpMs(WARM_UP_MS));
  load.resetMeasurements();
  const caughtUp = await reconnectAll(readers);
  const during = percentilesOf(load.receiverLatencies);
  const drained = await load.finish(DELIVERY_TIMEOUT_MS);
  const violations = [
    ...(await verifyRun(context, 'b4-missed', recorder.history)),
    ...(await verifyRun(context, 'b4-live', clients.recorder.history)),
  ];
  clients.close();
  for (const reader of readers) reader.close();
  const lines = [
    atMost(
      'B4',
      `time until ${users} users received ${MISSED_MESSAGES} missed messages each`,
      caughtUp.allReadersSeconds,
      GOAL_CAUGHT_UP_SECONDS,
      's',
    ),
    lineWithoutGoal(
      'B4',
      'time until half of the users received all missed messages',
      caughtUp.halfOfReadersSeconds,
      's',
    ),
    atMost('B4', 'live messages during reconnection: p99', during.p99, GOAL_LIVE_P99_MS, 'ms'),
    lineWithoutGoal('B4', 'live messages during reconnection: maximum', during.max, 'ms'),
    violationsLine('B4', violations.length + (drained ? 0 : 1)),
  ];
  return {
    bench: 'B4',
    lines,
    figures: { users, missed: MISSED_MESSAGES, caughtUp, livePerSecond: LIVE_MESSAGES_PER_SECOND, during },
  };
}

/** Sends messages from the watches while the guardians are disconnected. */
async function sendMissedMessages(
  environment: GatewayEnvironment,
  families: readonly BenchFamily[],
  endpoint: ServerEndpoint,
  recorder: Recorder,
): Promise<void> {
  for (let start = 0; start < families.length; start += WRITER_BATCH_SIZE) {
    const batch = families.slice(start, start + WRITER_BATCH_SIZE);
    const writers = await environment.openAll(
      batch.map((family) => ({ ...watchSessionOptions(family, endpoint, recorder), readConversationIds: [] })),
    );
    writers.forEach((writer, index) => {
      const { conversationId, watch } = batch[index] as BenchFamily;
      for (let number = 0; number < MISSED_MESSAGES; number++)
        writer.send(conversationId, `b4-${watch}-${number}`, ignoreAcknowledgement);
    });
    await waitUntil('all missed messages are acknowledged', () =>
      writers.every(({ unacknowledgedCount }) => unacknowledgedCount === 0),
    );
    for (const writer of writers) writer.close();
  }
}

/**
 * Reconnects all readers concurrently. Returns the seconds until half of the readers, and until all readers, have
 * received their missed messages. Returns infinity for a time above two minutes.
 */
async function reconnectAll(
  readers: readonly GatewaySession[],
): Promise<{ halfOfReadersSeconds: number; allReadersSeconds: number }> {
  const doneAt: number[] = [];
  const startedAt = performance.now();
  for (const reader of readers) {
    let remaining = MISSED_MESSAGES;
    reader.onMessage = () => {
      remaining -= 1;
      if (remaining === 0) doneAt.push((performance.now() - startedAt) / 1_000);
    };
    void reader.open();
  }
  const isDone = () => doneAt.length === readers.length;
  await waitUntil('all readers have caught up', isDone, CATCH_UP_TIMEOUT_MS).catch(() => undefined);
  const never = Number.POSITIVE_INFINITY;
  return {
    halfOfReadersSeconds: doneAt[readers.length >> 1] ?? never,
    allReadersSeconds: doneAt[readers.length - 1] ?? never,
  };
}

const ignoreAcknowledgement = (): void => undefined;
