import { Inject, Injectable } from '@nestjs/common';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';
import { EnvironmentError } from '@family-watch/platform/config/load-environment';
import { decodeBytes } from './ed25519.js';

/** The purpose of a nonce. A nonce is not valid for another purpose. */
export type NoncePurpose = 'enrol' | 'token';

/** A nonce that was issued with this SECRET_KEY for its subject and has not expired. It may already have been used. */
export interface VerifiedNonce {
  bytes: Buffer;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** Time for which a nonce is valid: one minute. Milliseconds. */
export const NONCE_TTL_MS = 60_000;

const TIME_BYTES = 6;
const RANDOM_BYTES = 10;
const MAC_BYTES = 16;
const NONCE_BYTES = TIME_BYTES + RANDOM_BYTES + MAC_BYTES;

/** Issues and verifies nonces, with a key derived from SECRET_KEY. */
@Injectable()
export class WatchNonces {
  private readonly nonceKey: Buffer;

  constructor(@Inject(Environment) environment: Pick<Environment, 'SECRET_KEY'>) {
    if (!environment.SECRET_KEY) throw new EnvironmentError(['SECRET_KEY is required']);
    this.nonceKey = deriveKey(environment.SECRET_KEY, 'watch-nonce');
  }

  /** Issues a nonce that is not stored: time, random bytes, and a MAC of time, random bytes, purpose and subject. */
  issueNonce(purpose: NoncePurpose, subject: string): string {
    const timeAndRandom = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
    timeAndRandom.writeUIntBE(Date.now(), 0, TIME_BYTES);
    randomBytes(RANDOM_BYTES).copy(timeAndRandom, TIME_BYTES);
    return Buffer.concat([timeAndRandom, this.computeMac(purpose, subject, timeAndRandom)]).toString('base64url');
  }

  /**
   * Returns undefined unless the nonce was issued with this SECRET_KEY for this purpose and subject within the last
   * minute.
   */
  verifyNonce(purpose: NoncePurpose, subject: string, nonce: string): VerifiedNonce | undefined {
    const bytes = decodeBytes(nonce, NONCE_BYTES);
    if (!bytes) return undefined;
    const timeAndRandom = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
    if (!timingSafeEqual(this.computeMac(purpose, subject, timeAndRandom), bytes.subarray(TIME_BYTES + RANDOM_BYTES)))
      return undefined;
    const expiresAt = timeAndRandom.readUIntBE(0, TIME_BYTES) + NONCE_TTL_MS;
    return expiresAt > Date.now() ? { bytes, expiresAt } : undefined;
  }

  private computeMac(purpose: NoncePurpose, subject: string, timeAndRandom: Buffer): Buffer {
    const text = `${purpose}\n${subject}\n`;
    return createHmac('sha256', this.nonceKey).update(text).update(timeAndRandom).digest().subarray(0, MAC_BYTES);
  }
}
