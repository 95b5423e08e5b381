import { setTimeout as sleep } from 'node:timers/promises';
import { PacedLoad } from '../load/paced-load.js';
import { percentilesOf } from '../report/percentiles.js';
import type { Percentiles } from '../report/percentiles.js';
import { atMost, figure } from '../report/result.js';
import type { BenchResult, ResultLine } from '../report/result.js';
import type { BenchContext } from './bench-context.js';
import { GatewayEnvironment } from './gateway-environment.js';
import { faultsLine, verifyRun } from './run-verification.js';

const PER_SECOND = 1_000;
const WARM_UP_MS = 5_000;
const DRAIN_MS = 30_000;
/** Milliseconds. */
const GOAL_P99 = 25;

/** Time to the receiver and to the acknowledgement at a steady rate, from when each message was to be sent. */
export async function b2(context: BenchContext): Promise<BenchResult> {
  const world = await GatewayEnvironment.start(context);
  const { endpoint } = await world.startGateway();
  const clients = await world.connectPairs(endpoint, await world.seedFamilies(context.options.pairs));
  const load = new PacedLoad(clients.pairs, PER_SECOND, 'b2');
  load.start();
  await sleep(WARM_UP_MS);
  load.forgetMeasured();
  await sleep(context.options.seconds * 1_000);
  const drained = await load.finish(DRAIN_MS);
  clients.close();
  const faults = await verifyRun(context, 'b2', clients.recorder.history, clients.guarantees);
  const toReceiver = percentilesOf(load.toReceiver);
  const toAcknowledgement = percentilesOf(load.toAcknowledgement);
  const lines = [
    atMost('B2', 'to the receiver: p99', toReceiver.p99, GOAL_P99, 'ms'),
    ...othersOf('to the receiver', toReceiver),
    figure('B2', 'to the acknowledgement: p99', toAcknowledgement.p99, 'ms'),
    ...othersOf('to the acknowledgement', toAcknowledgement),
    faultsLine('B2', faults.length + (drained ? 0 : 1)),
  ];
  return { bench: 'B2', lines, figures: { perSecond: PER_SECOND, toReceiver, toAcknowledgement, drained } };
}

function othersOf(what: string, { p50, p999, max }: Percentiles): ResultLine[] {
  return [
    figure('B2', `${what}: p50`, p50, 'ms'),
    figure('B2', `${what}: p99.9`, p999, 'ms'),
    figure('B2', `${what}: longest`, max, 'ms'),
  ];
}
