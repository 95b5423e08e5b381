import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '@family-watch/platform/auth/secret-box';

/**
 * Keys that prove who has written a backup. Encryption proves nothing, because everybody may know the public key.
 * Whoever restores supplies them from elsewhere: what the backup itself contains proves nothing either.
 */
export interface TrustedKeys {
  /** From the private key of encrypted backups; the service has it as BACKUP_AUTHENTICATION_KEY. */
  backupKey: Buffer | undefined;
  /** From the SECRET_KEY of userctx. */
  secretKey: Buffer | undefined;
}

/** Returns the key that authenticates backups, derived from SECRET_KEY or from the private key of encrypted backups. */
export function authenticationKeyOf(secret: string): Buffer;
export function authenticationKeyOf(secret: string | undefined): Buffer | undefined;
export function authenticationKeyOf(secret: string | undefined): Buffer | undefined {
  return secret === undefined ? undefined : deriveKey(secret, 'backup/authentication');
}

/** Returns the keys that are known, of a service or of a restore. */
export function listKeys({ backupKey, secretKey }: TrustedKeys): Buffer[] {
  return [backupKey, secretKey].filter((key) => key !== undefined);
}

/**
 * Returns a code per key that only a holder of the key can compute (HMAC-SHA-256, lower-case hex). With a code of each
 * key, one of them can be changed.
 */
export function authenticate(keys: readonly Buffer[], text: string): string[] {
  return keys.map((key) => createHmac('sha256', key).update(text).digest('hex'));
}

/** Returns whether a holder of one of the keys has written the text. */
export function isAuthentic(keys: readonly Buffer[], text: string, codes: readonly unknown[]): boolean {
  const expected = authenticate(keys, text).map((code) => Buffer.from(code));
  const actual = codes.map((code) => Buffer.from(String(code)));
  return expected.some((code) => actual.some((other) => code.length === other.length && timingSafeEqual(code, other)));
}
