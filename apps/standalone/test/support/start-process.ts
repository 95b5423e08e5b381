import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
/** Time after which a process that has not exited is killed. */
const START_TIMEOUT_MS = 180_000;

/** Exit code and output of a started process. */
export interface StartResult {
  code: number | null;
  output: string;
}

/** Starts the service with exactly these variables and waits for its exit. */
export async function startAndWaitForExit(variables: Record<string, string>): Promise<StartResult> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-start-'));
  const process_ = spawn(process.execPath, [MAIN], {
    env: { ...PROGRAM_ENVIRONMENT, DATA_DIR: dataDir, PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: START_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [process_.stdout, process_.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(process_, 'close')) as [number | null];
  rmSync(dataDir, { recursive: true, force: true });
  return { code, output };
}
