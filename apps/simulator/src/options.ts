import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** Base URL of a running server. By default, the demo uses the local server, or starts a temporary server. */
  url?: string;
  /** URL at which `npm start` serves with the same environment variables. */
  localUrl: string;
  /** GPX file of the walk; by default a generated route. */
  track?: string;
  /** True to create a family with a week of life, whose watches live on until the program is interrupted. */
  keep: boolean;
  /** Replay speed as a multiple of the recorded speed, at least 1. */
  speed: number;
  /** File to which the server at `url` writes SMS. */
  smsFile: string;
  /** True to print a JSON summary to stdout and all other output to stderr. */
  json: boolean;
}

/** The command line contains invalid options, or no server responds at `--url`. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Runs a school day of one family against a server and checks that every message is delivered and stored.

  npm run demo [-- options]

  --keep           instead of the school day, creates a family with a week of life, for the console, and
                   lets its watches live on until Ctrl-C; the family remains on the server
  --url URL        server to use (default: the server of npm start, at HOST and PORT; if none
                   responds there, a temporary server with its own DATA_DIR, deleted afterwards)
  --track FILE     GPX 1.0 or 1.1 file of the walk; it starts at home, and school is the point
                   farthest from there (default: a generated route along a lake)
  --speed N        replay speed, 1 or more times the recorded one (default: 60); limited to 250 m/s,
                   because the service flags faster points as implausible
  --sms-file FILE  file to which the server at URL writes SMS codes (default: DATA_DIR/sms-outbox.jsonl)
  --json           print a JSON summary to stdout and everything else to stderr
  --help           print this text
`;

const DEFAULT_SPEED = '60';

/**
 * Reads the options of the demo.
 *
 * @param args - command-line arguments without the program's name
 * @throws UsageError for invalid options
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): DemoOptions | 'help' {
  const { values } = parseArguments(args);
  if (values.help) return 'help';
  if (values.keep && (values.track !== undefined || values.speed !== undefined))
    throw new UsageError('--keep has no walk: --track and --speed are options of the school day');
  const speed = Number(values.speed ?? DEFAULT_SPEED);
  if (!Number.isFinite(speed) || speed < 1) throw new UsageError('--speed must be a number of at least 1');
  return {
    ...(values.url === undefined ? {} : { url: parseBaseUrl(values.url) }),
    localUrl: localUrl(env),
    ...(values.track === undefined ? {} : { track: resolve(values.track) }),
    keep: values.keep,
    speed,
    smsFile: resolve(values['sms-file'] ?? join(env['DATA_DIR'] || '.data', 'sms-outbox.jsonl')),
    json: values.json,
  };
}

/** Returns the URL of the server that `npm start` starts with these variables; empty variables count as absent. */
function localUrl(env: NodeJS.ProcessEnv): string {
  const host = env['HOST'] || '127.0.0.1';
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${env['PORT'] || '8080'}`;
}

function parseArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        url: { type: 'string' },
        track: { type: 'string' },
        speed: { type: 'string' },
        keep: { type: 'boolean', default: false },
        'sms-file': { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError('--url must be an http or https URL');
  return url.origin;
}
