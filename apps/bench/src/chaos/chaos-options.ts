import { parseArgs } from 'node:util';
import { parsePositiveInteger, parsePositiveNumber, UsageError } from '../options.js';

export interface ChaosOptions {
  /** Minutes in which faults are injected. */
  minutes: number;
  /** Seed of the random sequence of faults; the same seed yields the same faults. */
  seed: number;
  families: number;
  /** File of the history; by default, a file in the directory of temporary files. */
  history?: string;
}

export const USAGE = `Injects faults into the distributed service under load and verifies that it loses nothing.

  npm run bench -- chaos [options]

  --minutes N      minutes in which faults are injected (2); may be a fraction
  --seed S         positive integer that determines the sequence of faults; default: random
  --families N     families that use the service; each has two phones and a watch (4)
  --history FILE   writes the history of all operations and deliveries to this file
  --help           show this help
`;

const DEFAULTS = { minutes: '2', families: '4' } as const;
const MAX_SEED = 2 ** 31;

/**
 * Parses the command line.
 *
 * @throws UsageError for an unknown option or an invalid value
 */
export function readChaosOptions(args: string[]): ChaosOptions | 'help' {
  const text = { type: 'string' } as const;
  let values;
  try {
    const options = { minutes: text, seed: text, families: text, history: text, help: { type: 'boolean' } } as const;
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return 'help';
  return {
    minutes: parsePositiveNumber('minutes', values.minutes ?? DEFAULTS.minutes),
    families: parsePositiveInteger('families', values.families ?? DEFAULTS.families),
    seed: values.seed === undefined ? Math.ceil(Math.random() * MAX_SEED) : parsePositiveInteger('seed', values.seed),
    ...(values.history === undefined ? {} : { history: values.history }),
  };
}
