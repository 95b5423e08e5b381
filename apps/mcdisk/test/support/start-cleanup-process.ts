import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { exportJWK } from 'jose';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import type { CloudServer } from './cloud-server.js';
import type { EndingProcessPlan, EndPoint } from './cleanup-process.plan.js';

const LOADER = join(import.meta.dirname, '../../../../packages/testing/jest/load-typescript.mjs');
const PROGRAM = join(import.meta.dirname, 'ending-process.ts');

/** A node of mcdisk that dies at a step of deleting or collecting, on the database and the disk of another one. */
export class CleanupProcess {
  private constructor(
    /** Address on which it serves until then. */
    readonly url: string,
    /** The signal that ended it; `null` when it ended by itself. */
    readonly death: Promise<string | null>,
  ) {}

  /** @param now Unix milliseconds that its jobs take for now; without, it only serves */
  static async start(first: CloudServer, death: EndPoint, now?: number): Promise<CleanupProcess> {
    const { databaseUrl, dataDir, keys } = first.shared;
    const plan: EndingProcessPlan = { databaseUrl, dataDir, publicKey: await exportJWK(keys.publicKey), death, now };
    const child = spawn(process.execPath, ['--import', LOADER, PROGRAM, JSON.stringify(plan)], {
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit').then(([, signal]) => signal as string | null);
    const [line] = (await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])])) as [Buffer | string];
    return new CleanupProcess(String(line).trim(), ended);
  }
}
