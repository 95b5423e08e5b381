import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { continueAsCaller } from '@family-watch/platform/process/work-priority';
import { AccountSecrets } from '../account-secrets.js';

/** A device that has signed in to the account. The session of the sign-in may have ended. */
export interface KnownDevice {
  userId: string;
  sessionId: string;
}

/** User id, session id and MAC, 16 bytes each: exactly 64 characters of base64url. */
const TOKEN_PATTERN = /^[\w-]{64}$/;
const ID_BYTES = 16;

/**
 * Issues the token by which a device proves that it has signed in to an account before. The token gives no access; it
 * gives the device attempt limits of its own, which strangers cannot use up (decision record `known-devices`).
 */
@Injectable()
export class DeviceTokenService {
  constructor(private readonly secrets: AccountSecrets) {}

  create({ userId, sessionId }: KnownDevice): string {
    const ids = Buffer.from((userId + sessionId).replaceAll('-', ''), 'hex');
    return Buffer.concat([ids, this.secrets.signDevice(ids)]).toString('base64url');
  }

  /**
   * Returns undefined unless this service created the token. A request with a genuine token continues like a request of
   * an authenticated caller, and may use the database connections that are reserved for authenticated callers.
   */
  verify(token: string | undefined): KnownDevice | undefined {
    if (token === undefined || !TOKEN_PATTERN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const ids = bytes.subarray(0, 2 * ID_BYTES);
    if (!timingSafeEqual(bytes.subarray(2 * ID_BYTES), this.secrets.signDevice(ids))) return undefined;
    continueAsCaller();
    return { userId: toUuid(ids.subarray(0, ID_BYTES)), sessionId: toUuid(ids.subarray(ID_BYTES)) };
  }
}

function toUuid(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
