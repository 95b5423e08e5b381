import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { PROGRAM_ENVIRONMENT } from '@family-watch/testing/process/program-environment';

/** Environment variables; those with the value undefined are omitted. */
export type Variables = Readonly<Record<string, string | number | undefined>>;

/** Runs a program as an operator does. @returns its exit code, and what it printed to stdout and stderr */
export function runBackupProgram(
  program: 'backup' | 'restore' | '../../mcdisk/dist/fsck',
  variables: Variables,
  ...args: string[]
): Promise<{ code: number; output: string }> {
  const file = join(import.meta.dirname, '../../dist', `${program}.js`);
  const present = Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const env = { ...PROGRAM_ENVIRONMENT, ...(Object.fromEntries(present) as NodeJS.ProcessEnv) };
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

/** Returns the variables that `create-key` prints. */
export function readSettings(output: string): Variables {
  return Object.fromEntries(
    [...output.matchAll(/^(BACKUP_\w+)=(\S+)$/gm)].map(([, name = '', value]) => [name, value]),
  );
}
