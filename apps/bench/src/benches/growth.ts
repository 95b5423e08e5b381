import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ClosedLoop } from '../load/closed-loop.js';
import { measureRate, type HttpLoad } from '../load/http-rate.js';
import { Recorder } from '../load/recorder.js';
import { refreshTokens } from '../load/sign-up.js';
import type { GrowingApp } from '../options.js';
import { medianOf } from '../report/percentiles.js';
import { atMost, lineWithoutGoal, type BenchResult, type GrowthCurve, type ResultLine } from '../report/result.js';
import type { AppInstance } from '../servers/app.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { measureCpu } from '../servers/cpu-meter.js';
import { CloudTables } from '../servers/growth/cloud-tables.js';
import { GatewayTables } from '../servers/growth/gateway-tables.js';
import { UserctxTables } from '../servers/growth/userctx-tables.js';
import type { BenchContext } from './bench-context.js';
import { CloudEnvironment } from './cloud-environment.js';
import {
  GatewayEnvironment,
  guardianSessionOptions,
  watchSessionOptions,
  type BenchFamily,
} from './gateway-environment.js';
import { startUserctxEnvironment } from './userctx-environment.js';
import { verifyRun, violationsLine, waitForFinalAcknowledgements } from './run-verification.js';

/** Families at scale 1. Each has 2 children, 10 chat messages and 10 files; at scale 1,000 a million families. */
const FAMILIES = 1_000;
/** Families that make the requests. Only their chats grow, by what is measured. */
const ACTIVE_FAMILIES = 50;
const MAX_UNACKNOWLEDGED = 4;
const MISSED_MESSAGES = 100;
const WARM_UP_SECONDS = 1;
const ROUNDS = 3;
const DELIVERY_TIMEOUT_MS = 60_000;
const HOUR_MS = 3_600_000;
const GOAL_RATIO_TO_SMALLEST = 1.3;
const MICROSECONDS_PER_SECOND = 1e6;

/** Runs an operation many times. Only `run` is measured. */
interface PreparedOperation {
  /** @returns how often the operation was performed */
  run(): Promise<number>;
  close(): Promise<void>;
}

interface Operation {
  name: string;
  prepare(seconds: number): Promise<PreparedOperation>;
}

/** An app with its database, which grows, and operations whose cost must not grow with it. */
interface GrowthTarget {
  app: AppInstance;
  database: BenchDatabase;
  /** Inserts families until there are `count`, in addition to the active ones. */
  grow(count: number): Promise<void>;
  operations: readonly Operation[];
}

/** Cost of an operation in one run. */
interface MeasuredCost {
  /** CPU time of the app and its database per operation, in microseconds. */
  cpu: number;
  /** The part of `cpu` that the database used. */
  databaseCpu: number;
  performed: number;
}

/** Costs of one operation at one scale, and at the smallest scale measured before or after each of them. */
interface ScaledCosts {
  operation: string;
  /** Thousands of families. */
  scale: number;
  costs: MeasuredCost[];
  smallestCosts: MeasuredCost[];
  /** Median of the ratios of CPU time to the smallest scale. */
  ratio: number;
  /** Size of the database in bytes. */
  databaseBytes: number;
}

const START_TARGET: Record<
  GrowingApp,
  (context: BenchContext, countViolations: (count: number) => void) => Promise<GrowthTarget>
> = { userctx: startUserctxTarget, gateway: startGatewayTarget, mcdisk: startCloudTarget };

/**
 * Measures what operations of a few families cost while the number of all families grows a thousandfold. A second
 * instance of each app, with a database that keeps the smallest size, is measured alternately: at a million families,
 * the machine may be slower than it was half an hour before.
 */
export async function runGrowthBenchmark(context: BenchContext): Promise<BenchResult> {
  const [smallestScale = 1, ...scales] = context.options.scales;
  const scaledCosts: ScaledCosts[] = [];
  let violations = 0;
  const countViolations = (count: number): void => void (violations += count);
  for (const app of context.options.apps) {
    const smallest = await START_TARGET[app](context, countViolations);
    await growTo(context, smallest, smallestScale);
    const growing = await START_TARGET[app](context, countViolations);
    for (const scale of scales) scaledCosts.push(...(await measureAtScale(context, { smallest, growing }, scale)));
    await Promise.all([smallest.app.process.stop(), growing.app.process.stop()]);
  }
  const byOperation = [...Map.groupBy(scaledCosts, ({ operation }) => operation).values()];
  return {
    bench: 'growth',
    lines: [...byOperation.flatMap((costs) => costLines(costs, smallestScale)), violationsLine('growth', violations)],
    figures: { costs: scaledCosts },
    curves: byOperation.map((costs) => toCurve(costs, smallestScale)),
  };
}

async function growTo(context: BenchContext, target: GrowthTarget, scale: number): Promise<void> {
  const { app, database } = target;
  const startedAt = performance.now();
  await target.grow(scale * FAMILIES);
  // A checkpoint or the vacuuming of new rows during the measurement would be counted as its cost.
  await database.query('VACUUM ANALYZE');
  await database.query('CHECKPOINT');
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  context.log(`growth: ${app.process.name} has ${scale * FAMILIES} families after ${seconds} s`);
}

async function measureAtScale(
  context: BenchContext,
  targets: { smallest: GrowthTarget; growing: GrowthTarget },
  scale: number,
): Promise<ScaledCosts[]> {
  const { smallest, growing } = targets;
  const { quick, seconds } = context.options;
  await growTo(context, growing, scale);
  const [{ databaseBytes } = { databaseBytes: 0 }] = await growing.database.query<{ databaseBytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS "databaseBytes"',
  );
  const scaledCosts: ScaledCosts[] = [];
  for (const [index, { name: operation }] of growing.operations.entries()) {
    const [costs, smallestCosts]: [MeasuredCost[], MeasuredCost[]] = [[], []];
    const measureInto = async (results: MeasuredCost[], target: GrowthTarget): Promise<void> =>
      void results.push(await measureCost(target, target.operations[index] as Operation, seconds));
    const measurements = [() => measureInto(smallestCosts, smallest), () => measureInto(costs, growing)];
    for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
      // Odd rounds measure in reverse order, so that a machine that becomes slower affects both scales.
      for (const measure of round % 2 === 0 ? measurements : measurements.toReversed()) await measure();
    }
    const ratio = medianOf(costs.map(({ cpu }, round) => cpu / (smallestCosts[round]?.cpu ?? Number.NaN)));
    context.log(`growth: ${operation}: ${describe(costs)}; at the smallest scale ${describe(smallestCosts)}`);
    scaledCosts.push({ operation, scale, costs, smallestCosts, ratio, databaseBytes });
  }
  return scaledCosts;
}

function describe(costs: readonly MeasuredCost[]): string {
  const total = costs.map(({ cpu }) => cpu.toFixed(0)).join(', ');
  return `${total} µs (database ${costs.map(({ databaseCpu }) => databaseCpu.toFixed(0)).join(', ')} µs)`;
}

async function measureCost(
  { app, database }: GrowthTarget,
  operation: Operation,
  seconds: number,
): Promise<MeasuredCost> {
  const prepared = await operation.prepare(seconds);
  const stopCpu = await measureCpu([app.process], database);
  const performed = await prepared.run();
  const used = await stopCpu();
  await prepared.close();
  const perOperation = (cpuSeconds: number): number => (cpuSeconds * MICROSECONDS_PER_SECOND) / performed;
  return { cpu: perOperation(used.total), databaseCpu: perOperation(used.backends + used.shared), performed };
}

function toCurve(costs: readonly ScaledCosts[], smallestScale: number): GrowthCurve {
  return {
    name: costs[0]?.operation ?? '',
    points: [
      { size: smallestScale * FAMILIES, ratio: 1 },
      ...costs.map(({ scale, ratio }) => ({ size: scale * FAMILIES, ratio })),
    ],
  };
}

function costLines(costs: readonly ScaledCosts[], smallestScale: number): ResultLine[] {
  const [first] = costs;
  if (!first) return [];
  const smallestCpu = medianOf(costs.flatMap(({ smallestCosts }) => smallestCosts.map(({ cpu }) => cpu)));
  return [
    lineWithoutGoal('growth', `${first.operation}: CPU time at scale ${smallestScale}`, smallestCpu, 'µs'),
    ...costs.map(({ operation, scale, ratio }) =>
      atMost(
        'growth',
        `${operation}: CPU time, scale ${scale} / scale ${smallestScale}`,
        ratio,
        GOAL_RATIO_TO_SMALLEST,
      ),
    ),
  ];
}

async function startUserctxTarget(context: BenchContext): Promise<GrowthTarget> {
  const { database, userctx, url, accounts: signedUp } = await startUserctxEnvironment(context, ACTIVE_FAMILIES);
  const tables = new UserctxTables(database);
  const active = await tables.insertActiveFamilies(signedUp.map(({ userId }) => userId));
  const path = `${url}/apis/v2/userctx/user`;
  let accounts = signedUp;
  const createRequests = async (): Promise<{ token: string }[]> => {
    accounts = await refreshTokens(url, accounts);
    return accounts.map(({ accessToken: token }) => ({ token }));
  };
  const trackQuery = (index: number): string =>
    `cid=${active[index]?.children[0]?.cid ?? ''}&from=${Date.now() - HOUR_MS}&to=${Date.now()}`;
  return {
    app: userctx,
    database,
    grow: (count) => tables.grow(count),
    operations: [
      httpOperation(context, 'GetChild', async () => ({ url: `${path}/child/get`, requests: await createRequests() })),
      httpOperation(context, 'track of an hour', async () => ({
        url: `${path}/location/track`,
        requests: (await createRequests()).map(({ token }, index) => ({ token, query: trackQuery(index) })),
      })),
    ],
  };
}

async function startGatewayTarget(
  context: BenchContext,
  countViolations: (count: number) => void,
): Promise<GrowthTarget> {
  const environment = await GatewayEnvironment.start(context);
  const app = await environment.startGateway();
  const families = await environment.seedFamilies(ACTIVE_FAMILIES);
  const tables = new GatewayTables(environment.database);
  await tables.insertCenterMessages(families.map(({ guardian }) => guardian));
  const path = `http://127.0.0.1:${app.endpoint.port}/apis/v2/message`;
  const requests = families.map(({ guardianToken: token }) => ({ token }));
  return {
    app,
    database: environment.database,
    grow: (count) => tables.grow(count),
    operations: [
      {
        name: 'chat message',
        prepare: (seconds) => prepareChat(context, environment, app, families, seconds, countViolations),
      },
      {
        name: 'missed message',
        prepare: () => prepareReplay(context, environment, app, families, countViolations),
      },
      httpOperation(context, 'list of conversations', () => ({ url: `${path}/conversation/list`, requests })),
      httpOperation(context, 'page of a history', () => ({
        url: `${path}/history/get`,
        requests: families.map(({ guardianToken: token, conversationId }) => ({
          token,
          query: `conversationId=${conversationId}`,
        })),
      })),
      httpOperation(context, 'list of the message centre', () => ({ url: `${path}/center/list`, requests })),
    ],
  };
}

async function startCloudTarget(context: BenchContext): Promise<GrowthTarget> {
  const environment = await CloudEnvironment.start(context);
  const app = await environment.startMcdisk();
  const owners = await environment.seedFamilies(ACTIVE_FAMILIES);
  const tables = new CloudTables(environment.database);
  const contents = await tables.insertActiveContents(owners);
  const path = `http://127.0.0.1:${app.endpoint.port}/app-api/mcdisk/wristwatch/familyCloud`;
  return {
    app,
    database: environment.database,
    grow: (count) => tables.grow(count),
    operations: [
      httpOperation(context, 'list of contents', () => ({
        url: `${path}/queryContentList`,
        requests: owners.map(({ token, cloudID }) => ({ token, body: { cloudID } })),
      })),
      httpOperation(context, 'URL of a content', () => ({
        url: `${path}/getFileDownLoadURL`,
        requests: owners.map(({ token, cloudID }, index) => ({
          token,
          body: { cloudID, contentID: contents[index] },
        })),
      })),
    ],
  };
}

/**
 * An operation that is one request. `createLoad` is called before each measurement, because requests contain times and
 * tokens.
 */
function httpOperation(context: BenchContext, name: string, createLoad: () => HttpLoad | Promise<HttpLoad>): Operation {
  return {
    name,
    prepare: async (seconds) => {
      const load = await createLoad();
      if (!context.options.quick) await measureRate(load, WARM_UP_SECONDS);
      return {
        run: async () => Math.round((await measureRate(load, seconds)) * seconds),
        close: () => Promise.resolve(),
      };
    },
  };
}

/** Chat of all active families at maximum rate. */
async function prepareChat(
  context: BenchContext,
  environment: GatewayEnvironment,
  { endpoint }: AppInstance,
  families: readonly BenchFamily[],
  seconds: number,
  countViolations: (count: number) => void,
): Promise<PreparedOperation> {
  const run = `growth-${Date.now()}`;
  const clients = await environment.connectPairs(endpoint, families);
  const loop = new ClosedLoop(clients.pairs, MAX_UNACKNOWLEDGED, run);
  loop.start();
  await sleep(context.size(WARM_UP_SECONDS, 0) * 1_000);
  return {
    async run() {
      const before = loop.progress.received;
      await sleep(seconds * 1_000);
      return loop.progress.received - before;
    },
    async close() {
      const isDelivered = await loop.finish(DELIVERY_TIMEOUT_MS);
      await waitForFinalAcknowledgements();
      clients.close();
      const violations = await verifyRun(context, run, clients.recorder.history, clients.guarantees);
      countViolations(violations.length + (isDelivered ? 0 : 1));
    },
  };
}

/** Delivery of the messages that the watches have missed. */
async function prepareReplay(
  context: BenchContext,
  environment: GatewayEnvironment,
  { endpoint }: AppInstance,
  families: readonly BenchFamily[],
  countViolations: (count: number) => void,
): Promise<PreparedOperation> {
  const run = `growth-replay-${Date.now()}`;
  const recorder = new Recorder();
  const readers = await environment.openAll(families.map((family) => watchSessionOptions(family, endpoint, recorder)));
  for (const reader of readers) reader.close();
  const writers = await environment.openAll(
    families.map((family) => guardianSessionOptions(family, endpoint, recorder)),
  );
  for (const [index, writer] of writers.entries()) {
    const { conversationId } = families[index] as BenchFamily;
    for (let number = 0; number < MISSED_MESSAGES; number += 1)
      writer.send(conversationId, `${run}-${index}-${number}`, () => undefined);
  }
  await waitUntil('all missed messages are acknowledged', () =>
    writers.every(({ unacknowledgedCount }) => unacknowledgedCount === 0),
  );
  for (const writer of writers) writer.close();
  const expected = families.length * MISSED_MESSAGES;
  let received = 0;
  return {
    async run() {
      for (const reader of readers) {
        reader.onMessage = () => void (received += 1);
        void reader.open();
      }
      await waitUntil('all missed messages are received', () => received >= expected, DELIVERY_TIMEOUT_MS);
      return received;
    },
    async close() {
      await waitForFinalAcknowledgements();
      for (const reader of readers) reader.close();
      countViolations((await verifyRun(context, run, recorder.history)).length);
    },
  };
}
