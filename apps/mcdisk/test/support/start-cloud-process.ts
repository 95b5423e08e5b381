import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
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
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly exited: Promise<unknown>,
  ) {}

  static async start(first: CloudServer, crashPoint?: CrashPoint): Promise<CloudProcess> {
    const { databaseUrl, dataDir, keys } = first.shared;
    const parameters: CloudProcessParameters = {
      databaseUrl,
      dataDir,
      publicKey: await exportJWK(keys.publicKey),
      crashPoint,
    };
    const child = spawn(process.execPath, ['--import', TYPESCRIPT_LOADER, PROGRAM_PATH, JSON.stringify(parameters)], {
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const url = await Promise.race([
      firstLine(child),
      exited.then(() => {
        throw new Error('The process exited before it listened');
      }),
    ]);
    return new CloudProcess(url, child, exited);
  }

  /** Returns the URL with the host and port of this node. */
  urlOnNode(url: string): string {
    return url.replace(/^http:\/\/[^/]+/, this.url);
  }

  /** Kills the process, like a power failure. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Resolves when the process has exited. */
  async waitForExit(): Promise<void> {
    await this.exited;
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) return text.trim();
  }
  throw new Error('The process printed nothing');
}
