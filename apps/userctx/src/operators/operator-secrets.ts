import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { generateSecret, generateURI, verifySync } from 'otplib';
import { toAsciiDigits } from '@family-watch/domain/kernel/contracts/ascii-digits';
import { generateHumanReadableCode, normalizeHumanReadableCode } from '@family-watch/platform/auth/random-codes';
import { deriveKey, SecretBox } from '@family-watch/platform/auth/secret-box';
import { Environment } from '@family-watch/platform/config/environment';

const ISSUER = 'Family Watch';
/** Seconds by which the clock of an authenticator app may differ: one time step (RFC 6238, section 5.2). */
const CLOCK_TOLERANCE_SECONDS = 30;
const RECOVERY_CODE_COUNT = 10;
/** Characters of a recovery code, 80 random bits, and of an initial password, 100 random bits. */
const RECOVERY_CODE_LENGTH = 16;
const INITIAL_PASSWORD_LENGTH = 20;

/** A new second factor: what the operator receives once, and what is stored. */
export interface NewSecondFactor {
  otpauthUrl: string;
  recoveryCodes: string[];
  sealedTotpSecret: Buffer;
  recoveryDigests: Buffer[];
}

/** Creates and verifies the second factor of operators, with keys derived from SECRET_KEY. */
@Injectable()
export class OperatorSecrets {
  private readonly totpBox: SecretBox;
  private readonly recoveryKey: Buffer;

  /** @throws Error when SECRET_KEY is missing */
  constructor({ SECRET_KEY: secret }: Environment) {
    if (!secret) throw new Error('SECRET_KEY is required');
    this.totpBox = new SecretBox(deriveKey(secret, 'operators/totp-secrets'));
    this.recoveryKey = deriveKey(secret, 'operators/recovery-codes');
  }

  createSecondFactor(operatorId: string, loginName: string): NewSecondFactor {
    const secret = generateSecret();
    const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () => generateHumanReadableCode(RECOVERY_CODE_LENGTH));
    return {
      otpauthUrl: generateURI({ issuer: ISSUER, label: loginName, secret }),
      recoveryCodes: codes.map(groupCharacters),
      sealedTotpSecret: this.totpBox.seal(Buffer.from(secret), operatorId),
      recoveryDigests: codes.map((code) => this.digestRecoveryCode(operatorId, code)),
    };
  }

  /**
   * Returns the time step of a TOTP code, or undefined if the code is wrong or its time step is not later than
   * `lastTotpStep`: each code is valid once (RFC 6238, section 5.2).
   */
  verifyTotp(
    { operatorId, sealedTotpSecret, lastTotpStep }: StoredSecondFactor,
    typedCode: string,
    now: number,
  ): number | undefined {
    const code = toAsciiDigits(typedCode);
    if (!/^\d{6}$/.test(code)) return undefined;
    const result = verifySync({
      secret: this.totpBox.open(sealedTotpSecret, operatorId).toString(),
      token: code,
      epoch: Math.floor(now / 1_000),
      epochTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    if (!result.valid || !('timeStep' in result)) return undefined;
    return result.timeStep > lastTotpStep ? result.timeStep : undefined;
  }

  /** Returns the stored form of a recovery code. The digest is keyed, so that the database alone reveals nothing. */
  digestRecoveryCode(operatorId: string, code: string): Buffer {
    const text = `${operatorId}\n${normalizeHumanReadableCode(code)}`;
    return createHmac('sha256', this.recoveryKey).update(text).digest();
  }
}

interface StoredSecondFactor {
  operatorId: string;
  sealedTotpSecret: Buffer;
  lastTotpStep: number;
}

/** Returns a random password for a new operator. */
export function createInitialPassword(): string {
  return groupCharacters(generateHumanReadableCode(INITIAL_PASSWORD_LENGTH));
}

/** Inserts a hyphen after every fourth character. */
function groupCharacters(code: string): string {
  return code.match(/.{1,4}/g)?.join('-') ?? code;
}
