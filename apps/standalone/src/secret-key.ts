import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the secret in the file `secret.key` of DATA_DIR. The first start creates the file with mode 0600. */
export function readOrCreateSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret.key');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const secret = randomBytes(32).toString('base64url');
  const temporaryFile = `${file}.new`;
  const descriptor = openSync(temporaryFile, 'w', 0o600);
  try {
    writeSync(descriptor, `${secret}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  chmodSync(temporaryFile, 0o600);
  renameSync(temporaryFile, file);
  syncDirectory(dataDir);
  return secret;
}

/** Makes a rename durable. POSIX requires an fsync of the directory, but Windows cannot open directories. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return;
  const directoryDescriptor = openSync(path, 'r');
  try {
    fsyncSync(directoryDescriptor);
  } finally {
    closeSync(directoryDescriptor);
  }
}
