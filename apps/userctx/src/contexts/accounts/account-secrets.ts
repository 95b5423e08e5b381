import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { deriveKey, SecretBox } from '@family-watch/platform/auth/secret-box';

/** Keys of the accounts context. Each key is derived from SECRET_KEY for one purpose. */
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
   * Returns a digest of the code that is keyed with SECRET_KEY. A plain digest of six digits could be reversed by
   * trying all codes.
   */
  digestCode(challengeId: string, code: string): Buffer {
    return createHmac('sha256', this.codeKey).update(`${challengeId}\n${code}`).digest();
  }

  /** Returns the MAC of a device token: 16 bytes. */
  signDevice(ids: Buffer): Buffer {
    return createHmac('sha256', this.deviceKey).update(ids).digest().subarray(0, 16);
  }

  /**
   * Returns the key under which the attempts of `subject` are counted: a digest, so that no phone number or IP address
   * is stored.
   */
  digestCounter(subject: string): Buffer {
    return createHmac('sha256', this.counterKey).update(subject).digest().subarray(0, 16);
  }
}
