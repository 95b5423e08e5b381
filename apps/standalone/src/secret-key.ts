import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const FILE_NAME = 'secret.key';

/** Returns the secret in the file `secret.key` of DATA_DIR, or undefined if the service has never started there. */
export function readSecretKey(dataDir: string): string | undefined {
  const file = join(dataDir, FILE_NAME);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

/** Returns the secret in the file `secret.key` of DATA_DIR. The first start creates the file with mode 0600. */
export function readOrCreateSecretKey(dataDir: string): string {
  const existing = readSecretKey(dataDir);
  if (existing !== undefined) return existing;
  const secret = createSecretKey();
  storeSecretKey(dataDir, secret);
  return secret;
}

export function createSecretKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Replaces the file `secret.key` of DATA_DIR, with mode 0600. Durable when the function returns. */
export function storeSecretKey(dataDir: string, secret: string): void {
  const file = join(dataDir, FILE_NAME);
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
