import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface DemoOptions {
  /** Base address of a server that runs; absent: the usual one, or a server of the demo's own. */
  url?: string;
  /** GPX file to walk along; absent: a short walk made up for the demo. */
  track?: string;
  /** How many times faster than recorded, at least 1. */
  speed: number;
  /** Where the server at `url` writes its SMS codes. */
  smsFile: string;
  /** Print a summary as JSON to stdout, and what happens to stderr. */
  json: boolean;
}

/** The options are wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Plays a school day of one family against a server, and checks that everything arrives and nothing is lost.

  npm run demo [-- options]

  --url URL        server to play against; without it the one at http://127.0.0.1:8080, or if none
                   answers there, one of its own with a temporary DATA_DIR that is deleted afterwards
  --track FILE     GPX 1.0 or 1.1 file to walk along; it begins at home, and school is
                   where it is farthest from there; without it a way along a lake
  --speed N        times faster than recorded, 1 or more (60); never faster than 250 m/s, which the
                   service would not believe
  --sms-file FILE  where the server at URL writes SMS codes (DATA_DIR/sms-outbox.jsonl)
  --json           summary as JSON on stdout, everything else on stderr
  --help           this text
`;

const DEFAULT_SPEED = '60';

/**
 * @param args - what follows the program's name
 * @throws UsageError
 */
export function readOptions(args: string[], env: NodeJS.ProcessEnv): DemoOptions | 'help' {
  const { values } = parsed(args);
  if (values.help) return 'help';
  const speed = Number(values.speed);
  if (!Number.isFinite(speed) || speed < 1) throw new UsageError('--speed must be a number of at least 1');
  return {
    ...(values.url === undefined ? {} : { url: baseAddress(values.url) }),
    ...(values.track === undefined ? {} : { track: resolve(values.track) }),
    speed,
    smsFile: resolve(values['sms-file'] ?? join(env['DATA_DIR'] || '.data', 'sms-outbox.jsonl')),
    json: values.json,
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        url: { type: 'string' },
        track: { type: 'string' },
        speed: { type: 'string', default: DEFAULT_SPEED },
        'sms-file': { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function baseAddress(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new UsageError('--url must be an http address');
  return url.origin;
}
