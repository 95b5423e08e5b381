import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { signUp } from '../load/sign-up.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, lineWithoutGoal } from '../report/result.js';
import type { BenchResult } from '../report/result.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { freePort } from '../servers/free-port.js';
import { cpuSecondsOf } from '../servers/process-figures.js';
import { migrate } from '../servers/program.js';
import { ServerProcess } from '../servers/server-process.js';
import { seedFamilies } from '../servers/userctx-seed.js';
import { startUserctx } from '../servers/userctx.js';
import type { BenchContext } from './bench-context.js';
import type { PreparedStatement } from '@family-watch/domain/kernel/contracts/transaction-scope';

const CHILDREN = 100_000;
const CHILDREN_PER_FAMILY = 5;
const GUARDIANS = 64;
const CONNECTIONS = 32;
const WARM_UP_SECONDS = 5;
const GOAL_RATE_RATIO_TO_BARE_HANDLER = 0.9;

interface GetChildTarget {
  name: 'userctx' | 'bare';
  process: ServerProcess;
  url: string;
  /** Requests per second, one value per round. */
  rates: number[];
  /** CPU time of the server's process per request, in microseconds. */
  cpu: number[];
}

/**
 * Measures GetChild requests of guardians with five children each, alternately with requests to a minimal server that
 * runs the same SQL statement.
 */
export async function runGetChildBenchmark(context: BenchContext): Promise<BenchResult> {
  const { rounds, seconds } = context.options;
  const database = await context.createDatabase();
  await migrate('userctx', database.url);
  const common = { databaseUrl: database.url, natsUrl: context.nats.url, natsPrefix: database.natsPrefix };
  const nodeArgs = context.profilingArgs;
  const userctx = await startUserctx({ ...common, dataDir: context.folder, nodeArgs });
  context.onClose(() => userctx.process.stop());
  const base = `http://127.0.0.1:${userctx.endpoint.port}`;
  const accounts = await signUp(base, context.folder, GUARDIANS);
  const families = CHILDREN / CHILDREN_PER_FAMILY;
  await seedFamilies(
    database,
    { families, children: CHILDREN_PER_FAMILY },
    accounts.map(({ userId }) => userId),
  );
  await seedLocations(database);
  const bare = await startBareGetChildServer(context, database, `${base}/.well-known/jwks.json`);
  const product = { name: 'userctx', process: userctx.process, url: `${base}/apis/v2/userctx/user/child/get` } as const;
  const targets: GetChildTarget[] = [product, bare].map((server) => ({ ...server, rates: [], cpu: [] }));
  const tokens = accounts.map(({ accessToken }) => accessToken);
  for (const { url } of targets) await measureRate(url, tokens, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) await measureRound(target, tokens, seconds);
  }
  const [rate = 0, bareRate = 1] = targets.map(({ rates }) => medianOf(rates));
  const [cpu = 0, bareCpu = 0] = targets.map((target) => medianOf(target.cpu));
  const lines = [
    atLeast(
      'B6',
      'rate, GetChild / bare handler with the same named statement',
      rate / bareRate,
      GOAL_RATE_RATIO_TO_BARE_HANDLER,
    ),
    lineWithoutGoal('B6', 'GetChild: requests per second', rate),
    lineWithoutGoal('B6', 'bare handler: requests per second', bareRate),
    lineWithoutGoal('B6', 'GetChild: CPU time of the process per request', cpu, 'µs'),
    lineWithoutGoal('B6', 'bare handler: CPU time of the process per request', bareCpu, 'µs'),
  ];
  const runs = targets.map(({ name, rates, cpu: cpuPerRequest }) => ({ name, rates, cpu: cpuPerRequest }));
  return { bench: 'B6', lines, figures: { runs, children: CHILDREN, guardians: GUARDIANS } };
}

async function measureRound(
  { process: server, url, rates, cpu }: GetChildTarget,
  tokens: readonly string[],
  seconds: number,
) {
  const before = cpuSecondsOf(server.pid) ?? 0;
  const rate = await measureRate(url, tokens, seconds);
  rates.push(rate);
  cpu.push((((cpuSecondsOf(server.pid) ?? 0) - before) * 1e6) / (rate * seconds));
}

async function startBareGetChildServer(context: BenchContext, database: BenchDatabase, jwksUrl: string) {
  const port = String(await freePort());
  const env = { ...process.env, NODE_ENV: 'production', DATABASE_URL: database.url, PORT: port };
  const server = await ServerProcess.start({
    name: 'bare GetChild',
    command: process.execPath,
    args: [...context.profilingArgs, fileURLToPath(new URL('../servers/baseline/get-child-main.js', import.meta.url))],
    env: { ...env, JWKS_URL: jwksUrl, STATEMENT: await loadUserctxStatement() },
    readyPattern: /bare GetChild is ready/,
  });
  context.onClose(() => server.stop());
  return { name: 'bare', process: server, url: `http://127.0.0.1:${port}/child/get` } as const;
}

/**
 * Returns userctx's GetChild statement, changed so that it selects the children of one user. It imports the statement
 * from userctx's build at run time, because no app may import another app and a copy would become outdated.
 *
 * @throws Error when the statement has changed and cannot be converted
 */
async function loadUserctxStatement(): Promise<string> {
  const statement = import.meta.resolve('@family-watch/userctx/contexts/children/children.sql');
  const { CHILDREN_OF_MEMBERS } = (await import(statement)) as { CHILDREN_OF_MEMBERS: PreparedStatement };
  const text = CHILDREN_OF_MEMBERS.sql;
  const forOneUser = text.replace('= any($1::uuid[])', '= $1::uuid');
  if (forOneUser === text) throw new Error('The GetChild statement has changed. Adapt this benchmark to it.');
  return forOneUser;
}

/** Inserts a current location and today's steps for every child. */
async function seedLocations(database: BenchDatabase): Promise<void> {
  await database.query(
    `INSERT INTO userctx.child_location
       (cid, did, position_time, point_type, latitude, longitude, radius, flags, received_at)
     SELECT cid, did, $1::bigint, 1, 31.2304, 121.4737, 20, 0, $1::bigint FROM userctx.family_child`,
    [Date.now()],
  );
  await database.query(
    `INSERT INTO userctx.step_day (cid, day, steps)
     SELECT cid, current_date, 4321 FROM userctx.family_child`,
  );
  await database.query('ANALYZE');
}

/**
 * Returns the successful requests per second.
 *
 * @throws Error when a request fails or its status is not 2xx
 */
async function measureRate(url: string, tokens: readonly string[], seconds: number): Promise<number> {
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: tokens.map((token) => ({ method: 'GET', headers: { authorization: `Bearer ${token}` } })),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} responses were not 2xx, ${result.errors} requests failed`);
  return result['2xx'] / result.duration;
}
