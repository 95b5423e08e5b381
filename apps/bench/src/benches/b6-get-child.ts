import { fileURLToPath } from 'node:url';
import { freePort } from '@family-watch/testing/network/free-ports';
import { measureRate, type HttpLoad } from '../load/http-rate.js';
import { medianOf } from '../report/percentiles.js';
import { atLeast, lineWithoutGoal, type BenchResult } from '../report/result.js';
import type { BenchDatabase } from '../servers/bench-database.js';
import { cpuSecondsOf } from '../servers/process-figures.js';
import { ServerProcess } from '../servers/server-process.js';
import { seedFamilies, seedLocations } from '../servers/userctx-seed.js';
import type { BenchContext } from './bench-context.js';
import { startUserctxEnvironment } from './userctx-environment.js';
import type { PreparedStatement } from '@family-watch/domain/kernel/contracts/transaction-scope';

const [FULL_CHILDREN, QUICK_CHILDREN] = [100_000, 2_000];
const CHILDREN_PER_FAMILY = 5;
const GUARDIANS = 64;
const [WARM_UP_SECONDS, QUICK_WARM_UP_SECONDS] = [5, 1];
const GOAL_RATE_RATIO_TO_BARE_HANDLER = 0.95;

interface GetChildTarget {
  name: 'userctx' | 'bare';
  process: ServerProcess;
  load: HttpLoad;
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
  const { database, userctx, url: base, accounts } = await startUserctxEnvironment(context, GUARDIANS);
  const children = context.size(FULL_CHILDREN, QUICK_CHILDREN);
  await seedFamilies(
    database,
    { families: children / CHILDREN_PER_FAMILY, children: CHILDREN_PER_FAMILY },
    accounts.map(({ userId }) => userId),
  );
  await seedLocations(database);
  const bare = await startBareGetChildServer(context, database, `${base}/.well-known/jwks.json`);
  const product = { name: 'userctx', process: userctx.process, url: `${base}/apis/v2/userctx/user/child/get` } as const;
  const requests = accounts.map(({ accessToken: token }) => ({ token }));
  const targets: GetChildTarget[] = [product, bare].map(({ url, ...server }) => ({
    ...server,
    load: { url, requests },
    rates: [],
    cpu: [],
  }));
  for (const { load } of targets) await measureRate(load, context.size(WARM_UP_SECONDS, QUICK_WARM_UP_SECONDS));
  for (let round = 0; round < rounds; round += 1) {
    for (const target of targets) await measureRound(target, seconds);
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
  return { bench: 'B6', lines, figures: { runs, children, guardians: GUARDIANS } };
}

async function measureRound({ process: server, load, rates, cpu }: GetChildTarget, seconds: number): Promise<void> {
  const before = cpuSecondsOf(server.pid) ?? 0;
  const rate = await measureRate(load, seconds);
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
  const statement = import.meta.resolve('@family-watch/userctx/families/children/child.repository');
  const { CHILDREN_OF_MEMBERS } = (await import(statement)) as { CHILDREN_OF_MEMBERS: PreparedStatement };
  const text = CHILDREN_OF_MEMBERS.sql;
  const forOneUser = text.replace('= ANY($1::uuid[])', '= $1::uuid');
  if (forOneUser === text) throw new Error('The GetChild statement has changed. Adapt this benchmark to it.');
  return forOneUser;
}
