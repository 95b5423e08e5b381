import { parseArgs } from 'node:util';

export const BENCHES = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'growth', 'kill', 'attack'] as const;
export type BenchName = (typeof BENCHES)[number];

/** Benchmarks that run only if they are named on the command line. */
const OPTIONAL_BENCHES: readonly BenchName[] = ['growth', 'kill', 'attack'];

/** Optional benchmarks that run by default with `--quick`. */
const QUICK_BENCHES: readonly BenchName[] = ['growth', 'kill'];

export interface BenchOptions {
  benches: BenchName[];
  /** Measured seconds of each run, without warm-up. */
  seconds: number;
  /** Number of pairs of a sender and a receiver. */
  pairs: number;
  /** Maximum number of unacknowledged messages per sender. */
  window: number;
  /** Number of runs per server; the servers alternate. */
  rounds: number;
  /** Servers that B1 measures. A ratio is reported if both the gateway and the compared server are measured. */
  servers: ServerName[];
  /** Apps that growth measures. */
  apps: GrowingApp[];
  /** Sizes of the data of growth, each as a multiple of 1,000 families. */
  scales: number[];
  /** Number of kills in the kill benchmark. */
  times: number;
  /**
   * Postgres URL with a role that may create databases. By default, the local server is used, or an embedded server if
   * no local server runs.
   */
  database?: string;
  /** URL of a NATS server. By default, the benchmark starts a NATS server. */
  nats?: string;
  /** Number of idle connections in B3. */
  connections: number;
  /** Number of reconnecting users in B4. */
  users: number;
  /** Deployments that the attack benchmark attacks one after the other. */
  deployments: DeploymentName[];
  /** Scenarios of the attack benchmark, which run one after the other on each deployment. */
  scenarios: ScenarioName[];
  /**
   * Whether data and load are small, so that all benches take two and a half minutes. Only goals that do not depend on
   * time can fail such a run. attack runs with a fifth of the attackers.
   */
  quick: boolean;
  /** Whether to write the results to docs/benchmarks. */
  record: boolean;
  /** Folder for CPU profiles of the measured apps. */
  profile?: string;
}

export const SERVERS = ['gateway', 'bare', 'bare-same-rows', 'ejabberd'] as const;
export type ServerName = (typeof SERVERS)[number];

export const GROWING_APPS = ['userctx', 'gateway', 'mcdisk'] as const;
export type GrowingApp = (typeof GROWING_APPS)[number];

/** How the service runs: all apps in one process, or each app in its own process, on NATS and behind the edge. */
const DEPLOYMENTS = ['standalone', 'distributed'] as const;
export type DeploymentName = (typeof DEPLOYMENTS)[number];

/** Scenarios in which ordinary accounts misbehave within their limits. */
const ACCOUNT_SCENARIOS = [
  'writers-40',
  'writers-700',
  'writers-20-accounts',
  'exports',
  'slow-uploads',
  'large-frames',
  'silent-push-1',
  'silent-push-8',
] as const;
export type AccountScenarioName = (typeof ACCOUNT_SCENARIOS)[number];

/** All scenarios of the attack benchmark: `strangers` is the attack from many addresses without an account. */
const SCENARIOS = ['strangers', ...ACCOUNT_SCENARIOS] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** Thrown for invalid options. The error message states which option is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Measures the service against its goals and verifies that no message is lost.

  npm run bench [-- benches and options]
  npm run bench -- compare | fuzz | chaos | measure-console | screenshots  other programs, which have their own options

  b1               durable 1:1 chat at maximum rate: gateway, two variants of bare Socket.IO, and ejabberd
  b2               1,000 messages per second: latency to the receiver and to the acknowledgement
  b3               memory per idle, authenticated connection
  b4               users with missed messages who reconnect concurrently
  b5               2,000 watches with fences report locations to their parents; then a burst
  b6               GetChild of a guardian with five children, compared with a bare handler
  b7               uploads to the family cloud: large files by tus, small files in one request; compared with
                   bare @tus/server and nginx
  b8               downloads, direct and behind nginx; compared with @fastify/static and nginx alone
  b9               deleteContents among a million contents; emptying a recycle bin of 100,000 contents
  growth           cost of operations while all families grow from 1,000 to a million; not run by default
  kill             two gateways, one of which is killed at random moments; not run by default
  attack           families who use the service while it is attacked from many addresses, and while accounts misbehave
                   within their limits; not run by default

  --seconds N      measured seconds per run, after the warm-up (15; with --quick 0.4);
                   attack: per scenario (60; with --quick 20, a quarter of it for accounts that misbehave)
  --pairs N        number of sender and receiver pairs in b1, b2 and kill (200)
  --window N       maximum unacknowledged messages per sender in b1 (10)
  --rounds N       runs per server in b1 and b6 to b8, alternating (3)
  --servers LIST   comma-separated servers of b1 (gateway,bare,bare-same-rows,ejabberd)
  --connections N  number of idle connections in b3 (10000)
  --users N        number of reconnecting users in b4 (5000)
  --apps LIST      comma-separated apps of growth (userctx,gateway,mcdisk)
  --scales LIST    comma-separated sizes of growth, in thousands of families (1,10,100,1000; with --quick 1,3)
  --times N        number of kills (50)
  --deployments LIST  comma-separated deployments of attack (standalone,distributed)
  --scenarios LIST comma-separated scenarios of attack (strangers,writers-40,writers-700,writers-20-accounts,exports,
                   slow-uploads,large-frames,silent-push-1,silent-push-8)
  --quick          small data and load, and kill with the benches that run by default: two and a half minutes; fails
                   only if a guarantee is violated, never because of a time. attack: a fifth of the attackers
  --database URL   Postgres server with a role that may create databases; default: DATABASE_URL, else
                   postgres://postgres@127.0.0.1:5432 if it is reachable, else an embedded server
  --nats URL       NATS server; default: the bench starts one
  --record         write the results to docs/benchmarks
  --profile DIR    write CPU profiles of the measured apps to this folder
  --help           show this help
`;

const DEFAULTS = {
  seconds: '15',
  pairs: '200',
  window: '10',
  rounds: '3',
  connections: '10000',
  users: '5000',
  times: '50',
} as const;
const QUICK_DEFAULTS: Record<keyof typeof DEFAULTS, string> = {
  seconds: '0.4',
  pairs: '20',
  window: '10',
  rounds: '1',
  connections: '400',
  users: '200',
  times: '2',
};
/** The attack needs some seconds before it holds its connections. The limits of an account are per minute. */
const ATTACK_SECONDS = { full: '60', quick: '20' };

/**
 * Parses the command line.
 *
 * @param args - command-line arguments after the program name
 * @throws UsageError for an unknown option or benchmark, or an invalid value
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): BenchOptions | 'help' {
  const { values, positionals } = parseArguments(args);
  if (values.help) return 'help';
  if (values.quick && values.record) throw new UsageError('--record needs the full data and load, without --quick');
  const benches = selectBenches(positionals, values.quick);
  const defaults = values.quick ? QUICK_DEFAULTS : DEFAULTS;
  const number = (name: keyof typeof DEFAULTS): number => parsePositiveInteger(name, values[name] ?? defaults[name]);
  const database = values.database ?? (env['DATABASE_URL'] || undefined);
  return {
    benches,
    seconds: parsePositiveNumber(
      'seconds',
      values.seconds ??
        (benches.includes('attack') ? ATTACK_SECONDS[values.quick ? 'quick' : 'full'] : defaults.seconds),
    ),
    pairs: number('pairs'),
    window: number('window'),
    rounds: number('rounds'),
    connections: number('connections'),
    users: number('users'),
    times: number('times'),
    apps: values.apps === undefined ? [...GROWING_APPS] : parseNames(GROWING_APPS, values.apps.split(',')),
    scales: parseScales(values.scales ?? (values.quick ? '1,3' : '1,10,100,1000')),
    servers: values.servers === undefined ? [...SERVERS] : parseNames(SERVERS, values.servers.split(',')),
    deployments:
      values.deployments === undefined ? [...DEPLOYMENTS] : parseNames(DEPLOYMENTS, values.deployments.split(',')),
    scenarios: values.scenarios === undefined ? [...SCENARIOS] : parseNames(SCENARIOS, values.scenarios.split(',')),
    ...(database === undefined ? {} : { database }),
    ...(values.nats === undefined ? {} : { nats: values.nats }),
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    quick: values.quick,
    record: values.record,
  };
}

function selectBenches(names: readonly string[], quick: boolean): BenchName[] {
  if (names.length > 0) return parseNames(BENCHES, names);
  return BENCHES.filter((name) => !OPTIONAL_BENCHES.includes(name) || (quick && QUICK_BENCHES.includes(name)));
}

function parseArguments(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const numbers = {
    seconds: text,
    pairs: text,
    window: text,
    rounds: text,
    connections: text,
    users: text,
    times: text,
  };
  const texts = {
    apps: text,
    scales: text,
    servers: text,
    deployments: text,
    scenarios: text,
    database: text,
    nats: text,
    profile: text,
  };
  const options = { ...numbers, ...texts, quick: flag, record: flag, help: flag };
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

export function parsePositiveInteger(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${name} must be an integer of at least 1`);
  return value;
}

export function parsePositiveNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(`--${name} must be a number above 0`);
  return value;
}

/** @throws UsageError unless the sizes increase: the data of one app only grow */
function parseScales(list: string): number[] {
  const scales = list.split(',').map((scale) => parsePositiveInteger('scales', scale));
  if (scales.length < 2) throw new UsageError('--scales must have at least two sizes, which are compared');
  if (scales.some((scale, index) => scale <= (scales[index - 1] ?? 0))) throw new UsageError('--scales must increase');
  return scales;
}

function parseNames<Name extends string>(allowed: readonly Name[], texts: readonly string[]): Name[] {
  return texts.map((text) => {
    const name = allowed.find((candidate) => candidate === text);
    if (!name) throw new UsageError(`${text} is not one of ${allowed.join(', ')}`);
    return name;
  });
}
