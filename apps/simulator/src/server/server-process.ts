import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Others may pass through, so that Postgres can run as its own user when this process is root; none may look. */
const PASSABLE = 0o711;
const READY = /ready at (http\S+)/;
const LAST_LINES = 20;
/** The day of the demo is shorter than others. */
const SOS_STEP_SECONDS = '5';
/** What would make the server work on something that is not the demo's own. */
const NOT_INHERITED = ['DATABASE_URL', 'MIGRATION_DATABASE_URL', 'NATS_URL', 'PUBLIC_URL', 'SECRET_KEY', 'BLOB_DIR'];

/** A server to play against. */
export interface Server {
  url: string;
  smsFile: string;
  /** Started by this program. */
  isOurs: boolean;
  /** Ends what the demo started; a server that ran before is left alone. */
  stop(): Promise<void>;
}

/** True if a Family Watch server answers there. */
export async function isServerReachable(url: string): Promise<boolean> {
  try {
    const answer = await fetch(new URL('/health/live', url), { signal: AbortSignal.timeout(3_000) });
    const body = (await answer.json()) as { status?: unknown };
    return answer.ok && body.status === 'ok';
  } catch {
    return false;
  }
}

/**
 * Starts a server on a free port and a temporary DATA_DIR, which is deleted when it stops.
 * @throws Error with the server's last words when it does not start
 */
export async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'family-watch-demo-'));
  await chmod(dataDir, PASSABLE);
  const own = { DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', NODE_ENV: 'test' };
  const child = spawnServer({ ...own, SOS_STEP_SECONDS });
  const stop = async (): Promise<void> => {
    await end(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    return { url: await readyAddress(child), smsFile: join(dataDir, 'sms-outbox.jsonl'), isOurs: true, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The server as a process of its own, in the form (built or source) in which this program runs. */
function spawnServer(variables: NodeJS.ProcessEnv): ChildProcess {
  const main = fileURLToPath(import.meta.resolve('@family-watch/standalone/main'));
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.includes(name));
  const env = { ...Object.fromEntries(inherited), ...variables };
  return spawn(process.execPath, [...process.execArgv, main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function readyAddress(child: ChildProcess): Promise<string> {
  const words: string[] = [];
  return new Promise((resolve, reject) => {
    const listen = (line: string): void => {
      words.push(line);
      if (words.length > LAST_LINES) words.shift();
      const address = READY.exec(line)?.[1];
      if (address) resolve(address);
    };
    // Read to the end, or the server would stop at a full pipe.
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', listen);
    child.once('error', reject);
    child.once('close', (code) => {
      reject(new Error(`The server did not start (exit code ${String(code)}):\n${words.join('\n')}`));
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
