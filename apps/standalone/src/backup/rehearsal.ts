import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@family-watch/embedded-postgres/embedded-postgres';
import { removeDataDir } from '@family-watch/embedded-postgres/installation';
import { UsageError } from '@family-watch/platform/app/operator/command-line';
import type { BackupReader } from './backup-directory.js';
import { accessOfStandalone } from './deployment.js';
import { rehearseRestore } from './restore-backup.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The database is deleted after its use. */
const NON_DURABLE_SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' };

/**
 * Restores the rows of a backup into a temporary embedded database, which is deleted afterwards, also after a failure or
 * a signal.
 *
 * @param announce - is called with the directory of the database before it is created
 * @returns the number of restored rows
 * @throws BackupUnusableError if the restored tables differ from the backup
 * @throws UsageError after a signal
 */
export async function restoreTemporarily(backup: BackupReader, announce: (directory: string) => void): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'family-watch-verify-'));
  announce(directory);
  // With root rights, another user runs the server, who must be able to enter the directory.
  chmodSync(directory, 0o711);
  let interrupt: NodeJS.SignalsListener = () => undefined;
  const interruption = new Promise<never>((_, reject) => {
    // Further signals are ignored, because npm forwards a signal that the terminal has sent to all processes.
    interrupt = (signal) => reject(new UsageError(`The verification was interrupted by ${signal}`));
  });
  for (const signal of SIGNALS) process.on(signal, interrupt);
  const starting = EmbeddedPostgres.start({ dataDir: directory, settings: NON_DURABLE_SETTINGS });
  const rehearsal = starting.then(({ info }) => rehearseRestore(backup, accessOfStandalone(info, undefined)));
  try {
    return await Promise.race([rehearsal, interruption]);
  } finally {
    await starting.then(
      (postgres) => postgres.stop(),
      () => undefined,
    );
    await rehearsal.catch(() => undefined);
    removeDataDir(directory);
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
