import { setTimeout as sleep } from 'node:timers/promises';
import { ClosedLoop } from '../load/closed-loop.js';
import type { ServerName } from '../options.js';
import { loadAverage } from '../report/machine.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, figure } from '../report/result.js';
import type { BenchResult, ResultLine } from '../report/result.js';
import { ejabberdMissing } from '../servers/ejabberd.js';
import type { CpuUse } from '../servers/cpu-meter.js';
import type { BenchContext } from './bench-context.js';
import { startBenchTarget } from './bench-targets.js';
import type { BenchTarget } from './bench-targets.js';
import { faultsLine, verifyRun } from './run-verification.js';

const WARM_UP_MS = 4_000;
const DRAIN_MS = 60_000;
const SETTLE_MS = 1_000;
const GOAL_OF_BARE = 1;
const BARE_SERVERS: readonly (readonly [ServerName, string])[] = [
  ['bare', 'bare Socket.IO, one row a message'],
  ['bare-same-rows', 'bare Socket.IO, same group commit'],
];
const GOAL_OF_EJABBERD_PER_CPU = 10;

interface Run {
  server: ServerName;
  round: number;
  seconds: number;
  received: number;
  acknowledged: number;
  perSecond: number;
  cpu: CpuUse;
  perCpuSecond: number;
  drained: boolean;
  faults: number;
  load: string;
}

/** Durable 1:1 chat as fast as it goes: the whole product against the least one could write, and against ejabberd. */
export async function b1(context: BenchContext): Promise<BenchResult> {
  const missing = ejabberdMissing();
  const { servers, rounds } = context.options;
  const names = servers.filter((name) => name !== 'ejabberd' || missing === undefined);
  if (names.length < servers.length) context.say(`b1: ${missing ?? ''}`);
  const contestants: BenchTarget[] = [];
  for (const name of names) contestants.push(await startBenchTarget(name, context));
  const runs: Run[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const contestant of contestants) runs.push(await oneRun(context, contestant, round));
  }
  return { bench: 'B1', lines: linesOf(runs, names), figures: { options: context.options, runs } };
}

async function oneRun(context: BenchContext, contestant: BenchTarget, round: number): Promise<Run> {
  const { window, seconds } = context.options;
  const { name: server } = contestant;
  const { recorder, guarantees, ...clients } = await contestant.connect();
  const loop = new ClosedLoop(clients.pairs, window, `${server}-${round}`);
  loop.start();
  await sleep(WARM_UP_MS);
  const endOfCpu = await contestant.measureCpu();
  const before = { ...loop.progress, at: performance.now() };
  await sleep(seconds * 1_000);
  const after = { ...loop.progress, at: performance.now() };
  const cpu = await endOfCpu();
  const drained = await loop.finish(DRAIN_MS);
  // What is acknowledged last has to be on disk, or the next round's clients would rightly be sent it again.
  await sleep(SETTLE_MS);
  clients.close();
  const faults = recorder ? await verifyRun(context, `b1-${server}-${round}`, recorder.history, guarantees) : [];
  const measured = (after.at - before.at) / 1_000;
  const received = after.received - before.received;
  const run = {
    server,
    round,
    seconds: measured,
    received,
    cpu,
    drained,
    load: loadAverage(),
    faults: faults.length,
    acknowledged: after.acknowledged - before.acknowledged,
    perSecond: received / measured,
    perCpuSecond: received / cpu.total,
  };
  context.say(`b1: ${server} ${round}: ${summaryOf(run)}`);
  return run;
}

function summaryOf({ perSecond, cpu, received, drained, faults, load }: Run): string {
  const each = { ...cpu.processes, 'Postgres backends': cpu.backends, 'Postgres writers': cpu.shared };
  const costs = Object.entries(each).map(([name, seconds]) => `${name} ${((1e6 * seconds) / received).toFixed(1)}`);
  const whole = `${((1e6 * cpu.total) / received).toFixed(1)} µs of CPU each (${costs.join(', ')})`;
  return `${perSecond.toFixed(0)} messages/s, ${whole}, ${drained ? '' : 'NOT '}drained, ${faults} faults, load ${load}`;
}

function linesOf(runs: readonly Run[], names: readonly ServerName[]): ResultLine[] {
  const median = (server: ServerName, value: (run: Run) => number): number =>
    medianOf(runs.filter((run) => run.server === server).map(value));
  const lines = names.flatMap((server) => [
    figure(
      'B1',
      `${server}: rate`,
      median(server, ({ perSecond }) => perSecond),
      'messages/s',
    ),
    figure(
      'B1',
      `${server}: CPU of servers and database`,
      median(server, ({ perCpuSecond }) => 1e6 / perCpuSecond),
      'µs/message',
    ),
  ]);
  const ratio = (other: ServerName, value: (run: Run) => number): number =>
    median('gateway', value) / median(other, value);
  for (const [other, what] of BARE_SERVERS) {
    if (!names.includes('gateway') || !names.includes(other)) continue;
    const value = ratio(other, ({ perSecond }) => perSecond);
    lines.push(atLeast('B1', `rate, gateway / ${what}`, value, GOAL_OF_BARE));
  }
  if (names.includes('gateway') && names.includes('ejabberd')) {
    const value = ratio('ejabberd', ({ perCpuSecond }) => perCpuSecond);
    lines.push(atLeast('B1', 'messages per CPU second, gateway / ejabberd', value, GOAL_OF_EJABBERD_PER_CPU));
  }
  const undelivered = runs.filter(({ drained }) => !drained).length;
  const faults = runs.reduce((sum, run) => sum + run.faults, 0) + undelivered;
  return [...lines, faultsLine('B1', faults)];
}
