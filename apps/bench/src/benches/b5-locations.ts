import { setTimeout as sleep } from 'node:timers/promises';
import { WatchLoad } from '../load/watch-load.js';
import { baselineInsert } from '../servers/baseline/baseline-insert.js';
import { measureCpu } from '../servers/cpu-meter.js';
import { percentilesOf } from '../report/percentiles.js';
import type { Percentiles } from '../report/percentiles.js';
import { atMost, figure } from '../report/result.js';
import type { BenchResult, ResultLine } from '../report/result.js';
import type { BenchContext } from './bench-context.js';
import { LocationEnvironment } from './location-environment.js';

const WATCHES = 2_000;
const FENCES = 20;
const PER_SECOND = 400;
const WARM_UP_MS = 10_000;
const DRAIN_MS = 60_000;
const BURST_POINTS = 50_000;
const GOAL = { p99: 150, userctxCores: 0.6, burstSeconds: 10 } as const;

interface SteadyFigures {
  toParent: Percentiles;
  toAcknowledgement: Percentiles;
  /** CPU cores that each part of the service kept busy. */
  cores: { userctx: number; gateway: number; database: number };
}

interface BurstFigures {
  burstMs: number;
  bareMs: number;
}

/** Watches report over sockets, userctx judges, stores and checks fences, and the parents see it; then a burst. */
export async function b5(context: BenchContext): Promise<BenchResult> {
  const world = await LocationEnvironment.start(context, { families: WATCHES, fences: FENCES });
  const watches = await WatchLoad.connect(world);
  await world.waitUntilIdle();
  const steady = await measureSteady(world, watches, context.options.seconds);
  await watches.finish(DRAIN_MS);
  const burstMs = await watches.burst(BURST_POINTS / WATCHES, DRAIN_MS);
  const bareMs = await baselineInsert(world.database, BURST_POINTS);
  const failures = await world.failures();
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  const refused = [...watches.refusals.values()].reduce((sum, count) => sum + count, 0);
  const lines = [
    ...steadyLines(steady),
    ...burstLines({ burstMs, bareMs }),
    atMost('B5', 'newest points that no parent saw', watches.unseen, 0),
    atMost('B5', 'events that failed', failed, 0),
    atMost('B5', 'connections lost', watches.lost, 0),
    atMost('B5', 'reports refused', refused, 0),
  ];
  watches.close();
  const load = { watches: WATCHES, fences: FENCES, perSecond: PER_SECOND, burstPoints: BURST_POINTS };
  return {
    bench: 'B5',
    lines,
    figures: { ...load, ...steady, burstMs, bareMs, failures, refusals: [...watches.refusals] },
  };
}

async function measureSteady(world: LocationEnvironment, watches: WatchLoad, seconds: number): Promise<SteadyFigures> {
  watches.start(PER_SECOND);
  await sleep(WARM_UP_MS);
  watches.forgetMeasured();
  const endOfCpu = await measureCpu([world.userctx.process, world.gateway.process], world.database);
  await sleep(seconds * 1_000);
  const { processes, backends, shared } = await endOfCpu();
  const { userctx = 0, gateway = 0 } = processes;
  return {
    toParent: percentilesOf(watches.toParent),
    toAcknowledgement: percentilesOf(watches.toAcknowledgement),
    cores: { userctx: userctx / seconds, gateway: gateway / seconds, database: (backends + shared) / seconds },
  };
}

function steadyLines({ toParent, toAcknowledgement, cores }: SteadyFigures): ResultLine[] {
  return [
    atMost('B5', `report to the parent at ${PER_SECOND}/s: p99`, toParent.p99, GOAL.p99, 'ms'),
    figure('B5', 'report to the parent: p50', toParent.p50, 'ms'),
    figure('B5', 'report to the parent: longest', toParent.max, 'ms'),
    figure('B5', 'report to the acknowledgement: p99', toAcknowledgement.p99, 'ms'),
    atMost('B5', 'cores of userctx', cores.userctx, GOAL.userctxCores),
    figure('B5', 'cores of the gateway', cores.gateway),
    figure('B5', 'cores of the database', cores.database),
  ];
}

function burstLines({ burstMs, bareMs }: BurstFigures): ResultLine[] {
  return [
    atMost('B5', `${BURST_POINTS} stored points are caught up in`, burstMs / 1_000, GOAL.burstSeconds, 's'),
    figure('B5', 'the same points in bare inserts', bareMs / 1_000, 's'),
    figure('B5', 'time of the burst to that of bare inserts', burstMs / bareMs),
  ];
}
