import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { exportJWK } from 'jose';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import type { CloudProcessPlan, DeathPoint } from './crashing-cloud-process.js';
import type { CloudServer } from './cloud-server.js';

const LOADER = join(import.meta.dirname, '../../../../packages/testing/jest/load-typescript.mjs');
const PROGRAM = join(import.meta.dirname, 'cloud-process.ts');

/** A node of mcdisk in a process of its own, on the database and the disk of another one. */
export class CloudProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly ended: Promise<unknown>,
  ) {}

  static async start(first: CloudServer, death?: DeathPoint): Promise<CloudProcess> {
    const { databaseUrl, dataDir, keys } = first.shared;
    const plan: CloudProcessPlan = { databaseUrl, dataDir, publicKey: await exportJWK(keys.publicKey), death };
    const child = spawn(process.execPath, ['--import', LOADER, PROGRAM, JSON.stringify(plan)], {
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const url = await Promise.race([
      firstLine(child),
      ended.then(() => {
        throw new Error('The process ended before it listened');
      }),
    ]);
    return new CloudProcess(url, child, ended);
  }

  /** Address on this node of what another one has given out. */
  at(address: string): string {
    return address.replace(/^http:\/\/[^/]+/, this.url);
  }

  /** As a power cut. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Resolves when it has died by itself. */
  async death(): Promise<void> {
    await this.ended;
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) return text.trim();
  }
  throw new Error('The process said nothing');
}
