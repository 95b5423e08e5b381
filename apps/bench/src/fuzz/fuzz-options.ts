import { parseArgs } from 'node:util';
import { parsePositiveInteger, UsageError } from '../options.js';

/** The two kinds of iterations. */
export type IterationKind = 'request' | 'frame';

/** One iteration. The seed and the iteration determine its request or frames. */
export interface Iteration {
  kind: IterationKind;
  index: number;
}

export interface FuzzOptions {
  seed: number;
  /** Ends the run after this time; absent if the run ends after a number of iterations. */
  minutes?: number;
  /** Number of requests; unlimited in a run of `minutes`. */
  requests: number;
  /** Number of frames; an iteration on a socket sends several. */
  frames: number;
  /** Number of times that each operation is first called with a valid request, which creates resources. */
  validRounds: number;
  /** Executes only this iteration. */
  only?: Iteration;
  /** URL of a running service; by default, the run starts its own. */
  url?: string;
  /** Directory of `sms-outbox.jsonl` of the running service. */
  dataDir?: string;
}

export const USAGE = `Sends mutated requests and frames to the service and reports what it does not withstand.

  npm run bench -- fuzz [options]

  --minutes N      ends after this time (without --requests and --frames: 2)
  --requests N     number of requests
  --frames N       number of events and packets on sockets, and of raw requests
  --seed S         positive integer that determines the iterations; default: random
  --only I         executes only this iteration of the seed: request:17 or frame:17
  --url URL        tests a running service; needs --data-dir, the directory of its sms-outbox.jsonl
  --data-dir DIR
  --help           show this help
`;

const DEFAULT_MINUTES = 2;
const MAX_SEED = 2 ** 31;

/**
 * Parses the command line.
 *
 * @throws UsageError for an unknown option or an invalid value
 */
export function readFuzzOptions(args: string[]): FuzzOptions | 'help' {
  const text = { type: 'string' } as const;
  let values;
  try {
    const options = {
      minutes: text,
      requests: text,
      frames: text,
      seed: text,
      only: text,
      url: text,
      'data-dir': text,
    };
    ({ values } = parseArgs({ args, options: { ...options, help: { type: 'boolean' } } as const }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return 'help';
  const { url, 'data-dir': dataDir } = values;
  if ((url === undefined) !== (dataDir === undefined)) throw new UsageError('--url and --data-dir need each other');
  const count = (name: 'minutes' | 'requests' | 'frames' | 'seed') =>
    values[name] === undefined ? undefined : parsePositiveInteger(name, values[name]);
  const [requests, frames] = [count('requests'), count('frames')];
  const isCounted = requests !== undefined || frames !== undefined;
  const minutes = count('minutes') ?? (isCounted ? undefined : DEFAULT_MINUTES);
  return {
    seed: count('seed') ?? Math.ceil(Math.random() * MAX_SEED),
    requests: requests ?? (isCounted ? 0 : Infinity),
    frames: frames ?? (isCounted ? 0 : Infinity),
    // Many operations need ids that a later operation of the document creates.
    validRounds: 2,
    ...(minutes === undefined ? {} : { minutes }),
    ...(values.only === undefined ? {} : { only: parseIteration(values.only) }),
    ...(url === undefined || dataDir === undefined ? {} : { url, dataDir }),
  };
}

function parseIteration(text: string): Iteration {
  const [, kind, index] = /^(request|frame):(\d{1,9})$/.exec(text) ?? [];
  if (kind === undefined) throw new UsageError('--only must be an iteration such as request:17 or frame:17');
  return { kind: kind as IterationKind, index: Number(index) };
}
