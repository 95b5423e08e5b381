import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';

const MAIN = join(import.meta.dirname, '../../dist/main.js');
/** Ends a start that hangs; a busy machine takes far less. */
const LIMIT_MS = 180_000;

/** How a start ended. */
export interface EndedStart {
  code: number | null;
  output: string;
}

/** Starts the service as its operator does, with these variables and no others, and waits for its end. */
export async function startAndWait(variables: Record<string, string>): Promise<EndedStart> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-start-'));
  const process_ = spawn(process.execPath, [MAIN], {
    env: { ...PROGRAM_ENVIRONMENT, DATA_DIR: dataDir, PORT: '0', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
  });
  let output = '';
  for (const stream of [process_.stdout, process_.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(process_, 'close')) as [number | null];
  rmSync(dataDir, { recursive: true, force: true });
  return { code, output };
}
