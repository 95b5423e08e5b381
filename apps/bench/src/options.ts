import { parseArgs } from 'node:util';

export const BENCHES = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'kill'] as const;
export type BenchName = (typeof BENCHES)[number];

export interface BenchOptions {
  benches: BenchName[];
  /** Measured seconds of each run; warming up comes before. */
  seconds: number;
  /** Pairs of a sender and a receiver. */
  pairs: number;
  /** Messages of one sender that may be unacknowledged. */
  window: number;
  /** Runs of each server, alternating. */
  rounds: number;
  /** Servers of B1; the gateway's ratios need the others. */
  servers: ServerName[];
  /** How often a gateway is killed in the kill run. */
  times: number;
  /** A Postgres server and a role that may make databases; absent: the one at the usual address, else the embedded. */
  database?: string;
  /** A NATS server; absent: one of the bench's own. */
  nats?: string;
  /** Idle connections of B3 and reconnecting users of B4. */
  connections: number;
  users: number;
  /** Write the figures to docs/benchmarks. */
  record: boolean;
  /** Write a CPU profile of the gateway to this folder. */
  profile?: string;
}

export const SERVERS = ['gateway', 'bare', 'bare-same-rows', 'ejabberd'] as const;
export type ServerName = (typeof SERVERS)[number];

/** The options are wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Measures the service against its goals and checks that nothing is lost.

  npm run bench [-- benches and options]

  b1               durable 1:1 chat as fast as it goes: gateway, bare Socket.IO (twice) and ejabberd in turn
  b2               1,000 messages a second: time to the receiver and to the acknowledgement
  b3               memory of an idle, authenticated connection
  b4               users who come back all at once with missed messages
  b5               2,000 watches with fences report positions, and parents see them; then a burst
  b6               GetChild of a guardian with five children, in turn with a bare handler
  b7               files into the family cloud: large ones by tus, small ones in one request; beside bare @tus/server
  b8               files out of it, direct and behind nginx; beside @fastify/static and nginx alone
  b9               deleteContents among a million contents, and a recycle bin of 100,000 that is emptied
  kill             two gateways, one of them killed again and again; not part of the default

  --seconds N      measured seconds of a run, after warming up (15)
  --pairs N        pairs of a sender and a receiver in b1, b2 and kill (200)
  --window N       unacknowledged messages of one sender in b1 (10)
  --rounds N       runs of each server in b1 and b6 to b8, alternating (3)
  --servers LIST   servers of b1, by commas (gateway,bare,bare-same-rows,ejabberd)
  --connections N  idle connections of b3 (10000)
  --users N        users who reconnect in b4 (5000)
  --times N        kills (50)
  --database URL   Postgres server, with a role that may make databases; without it DATABASE_URL, else
                   postgres://postgres@127.0.0.1:5432 if it answers, else an embedded one
  --nats URL       NATS server; without it one of the bench's own
  --record         write the figures to docs/benchmarks
  --profile DIR    write CPU profiles of gateway and userctx there
  --help           this text
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

/**
 * @param args - what follows the program's name
 * @throws UsageError
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): BenchOptions | 'help' {
  const { values, positionals } = parsed(args);
  if (values.help) return 'help';
  const number = (name: keyof typeof DEFAULTS): number => positive(name, values[name] ?? DEFAULTS[name]);
  const database = values.database ?? (env['DATABASE_URL'] || undefined);
  return {
    benches: positionals.length > 0 ? namesOf(BENCHES, positionals) : BENCHES.filter((name) => name !== 'kill'),
    seconds: number('seconds'),
    pairs: number('pairs'),
    window: number('window'),
    rounds: number('rounds'),
    connections: number('connections'),
    users: number('users'),
    times: number('times'),
    servers: values.servers === undefined ? [...SERVERS] : namesOf(SERVERS, values.servers.split(',')),
    ...(database === undefined ? {} : { database }),
    ...(values.nats === undefined ? {} : { nats: values.nats }),
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    record: values.record,
  };
}

function parsed(args: string[]) {
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
  const options = { ...numbers, servers: text, database: text, nats: text, profile: text, record: flag, help: flag };
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new UsageError(`--${name} must be a whole number of at least 1`);
  return value;
}

function namesOf<Name extends string>(known: readonly Name[], given: readonly string[]): Name[] {
  return given.map((text) => {
    const name = known.find((candidate) => candidate === text);
    if (!name) throw new UsageError(`${text} is none of ${known.join(', ')}`);
    return name;
  });
}
