import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { exportJWK } from 'jose';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';
import type { CloudServer } from './cloud-server.js';
import type { CleanupProcessParameters, CleanupCrashPoint } from './cleanup-process-parameters.js';

const TYPESCRIPT_LOADER = join(import.meta.dirname, '../../../../packages/testing/jest/load-typescript.mjs');
const PROGRAM_PATH = join(import.meta.dirname, 'cleanup-process.ts');

/**
 * Runs a node of mcdisk on the database and the disk of another node. The node crashes at a step of deletion or garbage
 * collection.
 */
export class CleanupProcess {
  private constructor(
    /** Base URL of the node until it crashes. */
    readonly url: string,
    /** The signal that ended the process, or `null` after a normal exit. */
    readonly exitSignal: Promise<string | null>,
  ) {}

  /** @param now current time for the jobs, Unix milliseconds; without it the node only serves requests */
  static async start(first: CloudServer, crashPoint: CleanupCrashPoint, now?: number): Promise<CleanupProcess> {
    const { databaseUrl, dataDir, keys } = first.shared;
    const parameters: CleanupProcessParameters = {
      databaseUrl,
      dataDir,
      publicKey: await exportJWK(keys.publicKey),
      crashPoint,
      now,
    };
    const child = spawn(process.execPath, ['--import', TYPESCRIPT_LOADER, PROGRAM_PATH, JSON.stringify(parameters)], {
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit').then(([, signal]) => signal as string | null);
    const [line] = (await Promise.race([once(child.stdout, 'data'), exited.then(() => [''])])) as [Buffer | string];
    return new CleanupProcess(String(line).trim(), exited);
  }
}
