import { setTimeout as sleep } from 'node:timers/promises';
import { PacedLoad } from '../load/paced-load.js';
import { percentilesOf, type Percentiles } from '../report/percentiles.js';
import { atMost, lineWithoutGoal, type BenchResult, type ResultLine } from '../report/result.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment } from './gateway-environment.js';
import { violationsLine, verifyRun } from './run-verification.js';

const MESSAGES_PER_SECOND = 1_000;
const WARM_UP_MS = 5_000;
const DELIVERY_TIMEOUT_MS = 30_000;
const GOAL_P99_MS = 25;

/**
 * Measures the latency of chat messages that are sent at a fixed rate: from the time when a message was due to be sent
 * until the receiver has it, and until the sender has the acknowledgement.
 */
export async function runLatencyBenchmark(context: BenchContext): Promise<BenchResult> {
  const environment = await GatewayEnvironment.start(context);
  const { endpoint } = await environment.startGateway();
  const clients = await environment.connectPairs(endpoint, await environment.seedFamilies(context.options.pairs));
  const load = new PacedLoad(clients.pairs, MESSAGES_PER_SECOND, 'b2');
  load.start();
  await sleep(context.warmUpMs(WARM_UP_MS));
  load.resetMeasurements();
  await sleep(context.options.seconds * 1_000);
  const drained = await load.finish(DELIVERY_TIMEOUT_MS);
  clients.close();
  const violations = await verifyRun(context, 'b2', clients.recorder.history, clients.guarantees);
  const toReceiver = percentilesOf(load.receiverLatencies);
  const toAcknowledgement = percentilesOf(load.acknowledgementLatencies);
  const lines = [
    atMost('B2', 'latency to the receiver: p99', toReceiver.p99, GOAL_P99_MS, 'ms'),
    ...otherPercentileLines('latency to the receiver', toReceiver),
    lineWithoutGoal('B2', 'latency to the acknowledgement: p99', toAcknowledgement.p99, 'ms'),
    ...otherPercentileLines('latency to the acknowledgement', toAcknowledgement),
    violationsLine('B2', violations.length + (drained ? 0 : 1)),
  ];
  return { bench: 'B2', lines, figures: { perSecond: MESSAGES_PER_SECOND, toReceiver, toAcknowledgement, drained } };
}

function otherPercentileLines(what: string, { p50, p999, max }: Percentiles): ResultLine[] {
  return [
    lineWithoutGoal('B2', `${what}: p50`, p50, 'ms'),
    lineWithoutGoal('B2', `${what}: p99.9`, p999, 'ms'),
    lineWithoutGoal('B2', `${what}: maximum`, max, 'ms'),
  ];
}
