import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { NetworkError } from '@family-watch/client';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { freePort } from '@family-watch/testing/network/free-ports';
import { processorWaitSecondsOf, residentBytesOf } from '../servers/process-figures.js';
import { resolveProgram } from '../servers/program.js';

/** Rate limits that no iteration reaches: a rejected request tests nothing. */
const RAISED_RATE_LIMITS = {
  RATE_LIMIT_REQUESTS: '100000000',
  RATE_LIMIT_PROOFS: '100000000',
  RATE_LIMIT_CALLER_REQUESTS: '100000000',
  RATE_LIMIT_FILE_REQUESTS: '100000000',
  RATE_LIMIT_SITE_REQUESTS: '100000000',
  RATE_LIMIT_CALLBACKS: '100000000',
  RATE_LIMIT_SIGN_IN: '100000000',
  RATE_LIMIT_SMS_ADDRESS: '100000000',
  RATE_LIMIT_SMS_PREFIX: '100000000',
  RATE_LIMIT_SMS_TOTAL: '100000000',
  RATE_LIMIT_EVENTS: '100000',
};
const GARBAGE_COLLECTOR = new URL('../servers/collect-garbage.js', import.meta.url).href;
/** Attempts of a request that the run itself needs, such as a sign-in. */
const MAX_ATTEMPTS = 5;
const REPEAT_DELAY_MS = 200;
const GARBAGE_COLLECTION_MS = 2_000;
const STOP_TIMEOUT_MS = 30_000;
const READY = /is ready at (http\S+) after/;
/** Level `error` of the log. */
const ERROR_LEVEL = 50;
/** Lines that Node writes itself. */
const WARNING_OF_NODE = /UnhandledPromiseRejection|Uncaught|MaxListenersExceededWarning/;

/** Memory of the tested process after a garbage collection. */
export interface MemoryFigures {
  /** Heap and memory outside of the heap, such as buffers. */
  usedBytes: number;
  residentBytes: number;
}

/** A service that the run tests. */
export interface FuzzTarget {
  url: string;
  /** Directory of `sms-outbox.jsonl`. */
  dataDir: string;
  /** Environment of `operator.js`, which creates an operator; absent if the run has none. */
  operatorEnvironment?: NodeJS.ProcessEnv;
  process?: OwnProcess;
}

/** The process of standalone, which the run has started on an embedded database. */
export class OwnProcess implements AsyncDisposable {
  private readBytes = 0;
  private unfinishedLine = '';

  private constructor(
    readonly target: FuzzTarget,
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly metricsUrl: string,
  ) {
    target.process = this;
  }

  static async start(): Promise<OwnProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'family-watch-fuzz-'));
    const metricsPort = await freePort();
    const dataDir = join(folder, 'data');
    const env = {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'warn',
      ...RAISED_RATE_LIMITS,
    };
    const log = openSync(join(folder, 'log'), 'a');
    const flags = ['--enable-source-maps', '--expose-gc', '--import', GARBAGE_COLLECTOR];
    const program = resolveProgram('@family-watch/standalone/main');
    const child = spawn(process.execPath, [...flags, program], { env, stdio: ['ignore', log, log] });
    closeSync(log);
    process.once('exit', () => child.kill('SIGKILL'));
    const target = { url: '', dataDir, operatorEnvironment: env };
    const own = new OwnProcess(target, child, folder, `http://127.0.0.1:${metricsPort}/metrics`);
    target.url = await waitUntilFound('the start of the service', async () => {
      if (!own.isRunning) throw new Error(`The service did not start; see ${folder}/log`);
      return READY.exec(await readFile(join(folder, 'log'), 'utf8'))?.[1];
    });
    return own;
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Milliseconds in which the service was ready to run and waited for a processor. */
  get processorWaitMs(): number {
    return processorWaitSecondsOf(this.child.pid ?? 0) * 1_000;
  }

  /** Returns the new lines of the log that report an error of the service. */
  async readErrors(): Promise<string[]> {
    const file = await open(join(this.folder, 'log'));
    const { size } = await file.stat();
    const { buffer } = await file.read({ buffer: Buffer.alloc(size - this.readBytes), position: this.readBytes });
    await file.close();
    this.readBytes = size;
    const lines = (this.unfinishedLine + buffer.toString()).split('\n');
    this.unfinishedLine = lines.pop() ?? '';
    return lines.filter((line) => (line.startsWith('{') ? levelOf(line) >= ERROR_LEVEL : WARNING_OF_NODE.test(line)));
  }

  async measureMemory(): Promise<MemoryFigures> {
    for (let times = 0; times < 2; times += 1) {
      this.child.kill('SIGUSR2');
      await sleep(GARBAGE_COLLECTION_MS);
    }
    const metrics = await (await repeatIfDisconnected(() => fetch(this.metricsUrl))).text();
    const metric = (name: string) =>
      Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1] ?? NaN);
    return {
      usedBytes: metric('nodejs_heap_size_used_bytes') + metric('nodejs_external_memory_bytes'),
      residentBytes: residentBytesOf(this.child.pid ?? 0),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isRunning) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await Promise.race([exited, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
      this.child.kill('SIGKILL');
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * Sends a request again if its connection ends: while the slow connections of a run use up the connections of the
 * address, the service replaces idle ones.
 */
export async function repeatIfDisconnected<Result>(send: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const isDisconnected = error instanceof TypeError || error instanceof NetworkError;
      if (!isDisconnected || attempt === MAX_ATTEMPTS) throw error;
      await sleep(attempt * REPEAT_DELAY_MS);
    }
  }
}

function levelOf(line: string): number {
  try {
    return (JSON.parse(line) as { level: number }).level;
  } catch {
    return ERROR_LEVEL;
  }
}

/** Name, password and codes of an operator with all roles. */
export interface OperatorCredentials {
  loginName: string;
  password: string;
  recoveryCodes: string[];
}

/** Creates an operator with the command line, as the first operator of a deployment is created. */
export async function createOperator(env: NodeJS.ProcessEnv): Promise<OperatorCredentials> {
  const loginName = `fuzz-${Date.now().toString(36)}`;
  const args = [resolveProgram('@family-watch/standalone/operator'), 'operators', 'create', '--name', loginName];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, '--roles', 'ADMIN'], { env });
  const all = (label: string) =>
    [...stdout.matchAll(new RegExp(`^ {2}${label} +(\\S+)$`, 'gm'))].map(([, value = '']) => value);
  return { loginName, password: all('password')[0] ?? '', recoveryCodes: all('recovery code') };
}
