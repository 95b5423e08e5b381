import { setTimeout as sleep } from 'node:timers/promises';
import { ClosedLoop } from '../load/closed-loop.js';
import type { ServerName } from '../options.js';
import { loadAverage } from '../report/machine.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, lineWithoutGoal, type BenchResult, type ResultLine } from '../report/result.js';
import { ejabberdUnavailableReason } from '../servers/ejabberd.js';
import type { CpuUse } from '../servers/cpu-meter.js';
import type { BenchContext } from './bench-context.js';
import { startBenchTarget, type BenchTarget } from './bench-targets.js';
import { violationsLine, verifyRun, waitForFinalAcknowledgements } from './run-verification.js';

const WARM_UP_MS = 4_000;
const DELIVERY_TIMEOUT_MS = 60_000;
/** The bare servers, each with the goal of the ratio of the gateway's rate to its rate. */
const BARE_SERVERS: readonly (readonly [ServerName, string, number])[] = [
  ['bare', 'bare Socket.IO, one row per message', 0.75],
  ['bare-same-rows', 'bare Socket.IO, same group commit', 1],
];
const GOAL_RATIO_TO_EJABBERD_PER_CPU_SECOND = 12;

/** Result of one run of one server. The JSON file of the report contains each run. */
interface MeasuredRun {
  server: ServerName;
  round: number;
  seconds: number;
  receivedMessages: number;
  acknowledgedMessages: number;
  messagesPerSecond: number;
  cpuUse: CpuUse;
  messagesPerCpuSecond: number;
  /** Whether all messages were acknowledged and received before the timeout. */
  areAllDelivered: boolean;
  violations: number;
  loadAverage: string;
}

/**
 * Measures durable 1:1 chat at maximum rate. Compares the gateway with a minimal Socket.IO implementation and with
 * ejabberd.
 */
export async function runThroughputBenchmark(context: BenchContext): Promise<BenchResult> {
  const unavailable = ejabberdUnavailableReason();
  const { servers, rounds } = context.options;
  const names = servers.filter((name) => name !== 'ejabberd' || unavailable === undefined);
  if (names.length < servers.length) context.log(`b1: ${unavailable ?? ''}`);
  const targets: BenchTarget[] = [];
  for (const name of names) targets.push(await startBenchTarget(name, context));
  const runs: MeasuredRun[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const target of targets) runs.push(await measureRun(context, target, round));
  }
  return { bench: 'B1', lines: resultLines(runs, names), figures: { options: context.options, runs } };
}

async function measureRun(context: BenchContext, target: BenchTarget, round: number): Promise<MeasuredRun> {
  const { window, seconds } = context.options;
  const { name: server } = target;
  const { recorder, guarantees, ...clients } = await target.connect();
  const loop = new ClosedLoop(clients.pairs, window, `${server}-${round}`);
  loop.start();
  await sleep(context.warmUpMs(WARM_UP_MS));
  const stopCpu = await target.measureCpu();
  const before = { ...loop.progress, at: performance.now() };
  await sleep(seconds * 1_000);
  const after = { ...loop.progress, at: performance.now() };
  const cpuUse = await stopCpu();
  const areAllDelivered = await loop.finish(DELIVERY_TIMEOUT_MS);
  await waitForFinalAcknowledgements();
  clients.close();
  const violations = recorder ? await verifyRun(context, `b1-${server}-${round}`, recorder.history, guarantees) : [];
  const measured = (after.at - before.at) / 1_000;
  const receivedMessages = after.received - before.received;
  const run = {
    server,
    round,
    seconds: measured,
    receivedMessages,
    cpuUse,
    areAllDelivered,
    loadAverage: loadAverage(),
    violations: violations.length,
    acknowledgedMessages: after.acknowledged - before.acknowledged,
    messagesPerSecond: receivedMessages / measured,
    messagesPerCpuSecond: receivedMessages / cpuUse.total,
  };
  context.log(`b1: ${server} ${round}: ${summaryOf(run)}`);
  return run;
}

function summaryOf({
  messagesPerSecond,
  cpuUse,
  receivedMessages,
  areAllDelivered,
  violations,
  loadAverage: load,
}: MeasuredRun): string {
  const cpuSeconds = { ...cpuUse.processes, 'Postgres backends': cpuUse.backends, 'Postgres writers': cpuUse.shared };
  const costs = Object.entries(cpuSeconds).map(
    ([name, seconds]) => `${name} ${((1e6 * seconds) / receivedMessages).toFixed(1)}`,
  );
  const total = `${((1e6 * cpuUse.total) / receivedMessages).toFixed(1)} µs of CPU per message (${costs.join(', ')})`;
  const outcome = `${areAllDelivered ? 'all' : 'NOT ALL'} delivered, ${violations} violations`;
  return `${messagesPerSecond.toFixed(0)} messages/s, ${total}, ${outcome}, load average ${load}`;
}

function resultLines(runs: readonly MeasuredRun[], names: readonly ServerName[]): ResultLine[] {
  const median = (server: ServerName, value: (run: MeasuredRun) => number): number =>
    medianOf(runs.filter((run) => run.server === server).map(value));
  const lines = names.flatMap((server) => [
    lineWithoutGoal(
      'B1',
      `${server}: rate`,
      median(server, ({ messagesPerSecond }) => messagesPerSecond),
      'messages/s',
    ),
    lineWithoutGoal(
      'B1',
      `${server}: CPU of servers and database`,
      median(server, ({ messagesPerCpuSecond }) => 1e6 / messagesPerCpuSecond),
      'µs/message',
    ),
  ]);
  const ratio = (other: ServerName, value: (run: MeasuredRun) => number): number =>
    median('gateway', value) / median(other, value);
  for (const [other, what, goal] of BARE_SERVERS) {
    if (!names.includes('gateway') || !names.includes(other)) continue;
    const value = ratio(other, ({ messagesPerSecond }) => messagesPerSecond);
    lines.push(atLeast('B1', `rate, gateway / ${what}`, value, goal));
  }
  if (names.includes('gateway') && names.includes('ejabberd')) {
    const value = ratio('ejabberd', ({ messagesPerCpuSecond }) => messagesPerCpuSecond);
    lines.push(
      atLeast('B1', 'messages per CPU second, gateway / ejabberd', value, GOAL_RATIO_TO_EJABBERD_PER_CPU_SECOND),
    );
  }
  const undelivered = runs.filter(({ areAllDelivered }) => !areAllDelivered).length;
  const violations = runs.reduce((sum, run) => sum + run.violations, 0) + undelivered;
  return [...lines, violationsLine('B1', violations)];
}
