import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * Mode of a directory that other users may enter but not list. When this process is root, Postgres runs as another
 * user.
 */
const DIRECTORY_MODE = 0o711;
const READY_PATTERN = /ready at (http\S+)/;
const RESPONSE_TIMEOUT_MS = 30_000;
/** Number of last output lines that an error contains. */
const OUTPUT_TAIL_LINES = 20;
/** SOS_STEP_SECONDS of the temporary server: shorter than the default, so that the next escalation step is soon due. */
const SOS_STEP_SECONDS = '5';
/**
 * Environment variables that the temporary server does not inherit, because they refer to the data, the ports or the SMS
 * provider of another server.
 */
const UNINHERITED_VARIABLES = [
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'NATS_URL',
  'PUBLIC_URL',
  'SECRET_KEY',
  'BLOB_DIR',
  'S3_BUCKET',
  'METRICS_PORT',
  'SMS_PROVIDER',
  'SMS_FALLBACK_PROVIDER',
  'SMS_ROUTES',
];

/** The server that the demo uses. */
export interface Server {
  url: string;
  smsFile: string;
  /** True if the demo started the server. */
  isStartedByDemo: boolean;
  /** Stops the server if the demo started it. A server that was already running is not stopped. */
  stop(): Promise<void>;
}

/** Returns whether a Family Watch server responds at the URL. A server on a busy machine may respond late. */
export async function isServerReachable(url: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/health/live', url), { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) });
    const body = (await response.json()) as { status?: unknown };
    return response.ok && body.status === 'ok';
  } catch {
    return false;
  }
}

/**
 * Starts a server on a free port with a temporary DATA_DIR, which `stop` deletes.
 * @throws Error with the last lines of the server's output when it does not start
 */
export async function startServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'family-watch-demo-'));
  await chmod(dataDir, DIRECTORY_MODE);
  const variables = { DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', NODE_ENV: 'test' };
  const child = spawnServer({ ...variables, SOS_STEP_SECONDS });
  const stop = async (): Promise<void> => {
    await stopProcess(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    return { url: await waitForUrl(child), smsFile: join(dataDir, 'sms-outbox.jsonl'), isStartedByDemo: true, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the server as a child process. Like this program, the server runs from its build or from its sources. */
function spawnServer(variables: NodeJS.ProcessEnv): ChildProcess {
  const main = fileURLToPath(import.meta.resolve('@family-watch/standalone/main'));
  const inherited = Object.entries(process.env).filter(([name]) => !UNINHERITED_VARIABLES.includes(name));
  const env = { ...Object.fromEntries(inherited), ...variables };
  return spawn(process.execPath, [...process.execArgv, main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function waitForUrl(child: ChildProcess): Promise<string> {
  const output: string[] = [];
  return new Promise((resolve, reject) => {
    const readLine = (line: string): void => {
      output.push(line);
      if (output.length > OUTPUT_TAIL_LINES) output.shift();
      const url = READY_PATTERN.exec(line)?.[1];
      if (url) resolve(url);
    };
    // Reads stdout and stderr to their end, because the server would block when a pipe is full.
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', readLine);
    child.once('error', reject);
    child.once('close', (code) => {
      reject(new Error(`The server did not start (exit code ${String(code)}):\n${output.join('\n')}`));
    });
  });
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
