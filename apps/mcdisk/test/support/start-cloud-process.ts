import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { exportJWK } from 'jose';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import type { CloudProcessParameters, CrashPoint } from './crashing-cloud-process.js';
import type { CloudServer } from './cloud-server.js';

const TYPESCRIPT_LOADER = join(import.meta.dirname, '../../../../packages/testing/jest/load-typescript.mjs');
const PROGRAM_PATH = join(import.meta.dirname, 'crashing-cloud-process.ts');

/** Runs a node of mcdisk in a separate process, on the database and the disk of another node. */
export class CloudProcess {
  private constructor(
    /** Base URL of the node until it crashes. */
    readonly url: string,
    private readonly child: ChildProcess,
    /** The signal that ended the process, or `null` after a normal exit. */
    readonly exitSignal: Promise<string | null>,
  ) {}

  /** @param now current time for the jobs, Unix milliseconds; without it the node only serves requests */
  static async start(first: CloudServer, crashPoint?: CrashPoint, now?: number): Promise<CloudProcess> {
    const { databaseUrl, dataDir, keys } = first.shared;
    const publicKey = await exportJWK(keys.publicKey);
    const parameters: CloudProcessParameters = { databaseUrl, dataDir, publicKey, crashPoint, now };
    const child = spawn(process.execPath, ['--import', TYPESCRIPT_LOADER, PROGRAM_PATH, JSON.stringify(parameters)], {
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exitSignal = once(child, 'exit').then(([, signal]) => signal as string | null);
    // A process that crashes while it runs its jobs may not print its URL.
    const [line] = (await Promise.race([once(child.stdout, 'data'), exitSignal.then(() => [''])])) as [Buffer | string];
    return new CloudProcess(String(line).trim(), child, exitSignal);
  }

  /** Returns the URL with the host and port of this node. */
  urlOnNode(url: string): string {
    return url.replace(/^http:\/\/[^/]+/, this.url);
  }

  /** Kills the process, like a power failure. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exitSignal;
  }
}
