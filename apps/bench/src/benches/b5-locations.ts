import { setTimeout as sleep } from 'node:timers/promises';
import { WatchLoad } from '../load/watch-load.js';
import { baselineInsert } from '../servers/baseline/baseline-insert.js';
import { measureCpu } from '../servers/cpu-meter.js';
import { percentilesOf, type Percentiles } from '../report/percentiles.js';
import { atMost, lineWithoutGoal, mustBeZero, type BenchResult, type ResultLine } from '../report/result.js';
import type { BenchContext } from './bench-context.js';
import { LocationEnvironment } from './location-environment.js';

const FULL_SIZE = { watches: 2_000, burstPoints: 50_000 } as const;
const QUICK_SIZE = { watches: 100, burstPoints: 2_000 } as const;
const FENCES_PER_CHILD = 20;
const REPORTS_PER_SECOND = 400;
const WARM_UP_MS = 10_000;
const DELIVERY_TIMEOUT_MS = 60_000;
const GOAL = { p50: 15, p99: 80, userctxCores: 0.6, burstSeconds: 10 } as const;

/** Result of the load at a fixed rate. Latencies are in milliseconds from the time when a report was due to be sent. */
interface FixedRateFigures {
  latencyToParent: Percentiles;
  latencyToAcknowledgement: Percentiles;
  /** Average number of CPU cores that each part of the service used. */
  cores: { userctx: number; gateway: number; database: number };
}

interface BurstFigures {
  /** Number of points. */
  burstPoints: number;
  /** Time until every parent has received the newest point of the burst. */
  burstMs: number;
  /** Time of inserting the same points into a table, without the service. */
  bareInsertMs: number;
}

/**
 * Measures location reports over sockets: userctx validates and stores the points and evaluates fences, and the parents
 * receive the points. After the load at a fixed rate, the benchmark measures a burst of points that watches stored
 * while they were disconnected.
 */
export async function runLocationBenchmark(context: BenchContext): Promise<BenchResult> {
  const { watches: watchCount, burstPoints } = context.options.quick ? QUICK_SIZE : FULL_SIZE;
  const environment = await LocationEnvironment.start(context, { families: watchCount, fences: FENCES_PER_CHILD });
  const watches = await WatchLoad.connect(environment);
  await environment.waitUntilIdle();
  const fixedRate = await measureAtFixedRate(environment, watches, {
    warmUpMs: context.warmUpMs(WARM_UP_MS),
    seconds: context.options.seconds,
  });
  await watches.finish(DELIVERY_TIMEOUT_MS);
  const burstMs = await watches.sendBurst(burstPoints / watchCount, DELIVERY_TIMEOUT_MS);
  const bareInsertMs = await baselineInsert(environment.database, burstPoints);
  const failures = await environment.listFailures();
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  const rejected = [...watches.rejections.values()].reduce((sum, count) => sum + count, 0);
  const lines = [
    ...fixedRateLines(fixedRate),
    ...burstLines({ burstPoints, burstMs, bareInsertMs }),
    mustBeZero('B5', 'newest points not delivered to a parent', watches.undeliveredCount),
    mustBeZero('B5', 'failed events', failed),
    mustBeZero('B5', 'connections lost', watches.lostConnections),
    mustBeZero('B5', 'rejected reports', rejected),
  ];
  watches.close();
  const load = { watches: watchCount, fences: FENCES_PER_CHILD, perSecond: REPORTS_PER_SECOND, burstPoints };
  return {
    bench: 'B5',
    lines,
    figures: { ...load, ...fixedRate, burstMs, bareInsertMs, failures, refusals: [...watches.rejections] },
  };
}

async function measureAtFixedRate(
  environment: LocationEnvironment,
  watches: WatchLoad,
  { warmUpMs, seconds }: { warmUpMs: number; seconds: number },
): Promise<FixedRateFigures> {
  watches.start(REPORTS_PER_SECOND);
  await sleep(warmUpMs);
  watches.resetMeasurements();
  const stopCpu = await measureCpu([environment.userctx.process, environment.gateway.process], environment.database);
  await sleep(seconds * 1_000);
  const { processes, backends, shared } = await stopCpu();
  const { userctx = 0, gateway = 0 } = processes;
  return {
    latencyToParent: percentilesOf(watches.parentLatencies),
    latencyToAcknowledgement: percentilesOf(watches.acknowledgementLatencies),
    cores: { userctx: userctx / seconds, gateway: gateway / seconds, database: (backends + shared) / seconds },
  };
}

function fixedRateLines({ latencyToParent, latencyToAcknowledgement, cores }: FixedRateFigures): ResultLine[] {
  return [
    atMost('B5', `latency to the parent at ${REPORTS_PER_SECOND}/s: p99`, latencyToParent.p99, GOAL.p99, 'ms'),
    atMost('B5', 'latency to the parent: p50', latencyToParent.p50, GOAL.p50, 'ms'),
    lineWithoutGoal('B5', 'latency to the parent: maximum', latencyToParent.max, 'ms'),
    lineWithoutGoal('B5', 'latency to the acknowledgement: p99', latencyToAcknowledgement.p99, 'ms'),
    atMost('B5', 'CPU cores used by userctx', cores.userctx, GOAL.userctxCores),
    lineWithoutGoal('B5', 'CPU cores used by the gateway', cores.gateway),
    lineWithoutGoal('B5', 'CPU cores used by the database', cores.database),
  ];
}

function burstLines({ burstPoints, burstMs, bareInsertMs }: BurstFigures): ResultLine[] {
  return [
    atMost('B5', `burst of ${burstPoints} points: time until delivered`, burstMs / 1_000, GOAL.burstSeconds, 's'),
    lineWithoutGoal('B5', 'burst: time of bare inserts of the same points', bareInsertMs / 1_000, 's'),
    lineWithoutGoal('B5', 'burst: time, service / bare inserts', burstMs / bareInsertMs),
  ];
}
