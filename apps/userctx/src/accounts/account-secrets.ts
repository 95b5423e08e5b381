import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { deriveKey, SecretBox } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';
import { continueAsCaller } from '@family-watch/platform/concurrency/work-priority';

/** A device that has signed in to the account. The session of the sign-in may have ended. */
export interface KnownDevice {
  userId: string;
  sessionId: string;
}

/** User id, session id and MAC, 16 bytes each: exactly 64 characters of base64url. */
const DEVICE_TOKEN_PATTERN = /^[\w-]{64}$/;

const UUID_BYTES = 16;

/** Keys of the accounts room, each derived from SECRET_KEY for one purpose, and the tokens of known devices. */
@Injectable()
export class AccountSecrets {
  /** Encrypts the private signing keys at rest. */
  readonly signingKeyBox: SecretBox;
  private readonly codeKey: Buffer;
  private readonly counterKey: Buffer;
  private readonly deviceKey: Buffer;

  /** @throws Error when SECRET_KEY is missing */
  constructor({ SECRET_KEY: secret }: Environment) {
    if (!secret) throw new Error('SECRET_KEY is required');
    this.signingKeyBox = new SecretBox(deriveKey(secret, 'accounts/signing-keys'));
    this.codeKey = deriveKey(secret, 'accounts/sms-codes');
    this.counterKey = deriveKey(secret, 'accounts/attempt-counters');
    this.deviceKey = deriveKey(secret, 'accounts/device-tokens');
  }

  /**
   * Returns an HMAC of the code, keyed with SECRET_KEY. A plain digest of six digits could be reversed by trying all
   * codes.
   */
  digestCode(challengeId: string, code: string): Buffer {
    return createHmac('sha256', this.codeKey).update(`${challengeId}\n${code}`).digest();
  }

  /** Returns the MAC of a device token, 16 bytes. `ids` are the user id and the session id. */
  private computeDeviceMac(ids: Buffer): Buffer {
    return createHmac('sha256', this.deviceKey).update(ids).digest().subarray(0, 16);
  }

  /**
   * Returns the key of the attempt counter of `subject`: a digest, so that no phone number or IP address is stored.
   */
  digestCounter(subject: string): Buffer {
    return createHmac('sha256', this.counterKey).update(subject).digest().subarray(0, 16);
  }

  /**
   * Creates the token by which a device proves that it has signed in to an account before. The token gives no access.
   * Attempts with the token count against separate limits of the device, which strangers cannot use up
   * (docs/decisions/12-attempt-limits.md).
   */
  createDeviceToken({ userId, sessionId }: KnownDevice): string {
    const ids = Buffer.from((userId + sessionId).replaceAll('-', ''), 'hex');
    return Buffer.concat([ids, this.computeDeviceMac(ids)]).toString('base64url');
  }

  /**
   * Returns the device that the token names, or undefined unless this service created the token. A request with a
   * genuine token may use the database connections that are reserved for known devices.
   */
  verifyDeviceToken(token: string | undefined): KnownDevice | undefined {
    if (token === undefined || !DEVICE_TOKEN_PATTERN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const ids = bytes.subarray(0, 2 * UUID_BYTES);
    if (!timingSafeEqual(bytes.subarray(2 * UUID_BYTES), this.computeDeviceMac(ids))) return undefined;
    const userId = toUuid(ids.subarray(0, UUID_BYTES));
    continueAsCaller(principalKey({ type: 'user', id: userId }), 'known-device');
    return { userId, sessionId: toUuid(ids.subarray(UUID_BYTES)) };
  }
}

function toUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
