import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Principal, PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { entryLimit } from '../concurrency/entry-limit.js';

/**
 * Decodes base64url without padding, strictly: exactly one text is accepted for the same bytes. The decoder of Node.js
 * also accepts other alphabets, other characters, and other values of the unused bits of the last character.
 */
export function decodeBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Fixed properties of the access tokens of persons and watches, used for signing and for verification. */
export const ACCESS_TOKEN_FORMAT = {
  issuer: 'family-watch',
  audience: 'family-watch',
  type: 'at+jwt',
  algorithm: 'EdDSA',
  /** Seconds. */
  lifetime: 600,
  principalTypes: ['user', 'watch'],
} as const satisfies TokenFormat;

/**
 * Fixed properties of the access tokens of operators. Because of the audience, an operator's token is invalid for the
 * operations of families, and a token of a person or watch is invalid for the operations of operators. The token is
 * valid as long as its session.
 */
export const OPERATOR_TOKEN_FORMAT = {
  ...ACCESS_TOKEN_FORMAT,
  audience: 'family-watch/operator',
  lifetime: 3_600,
  principalTypes: ['operator'],
} as const satisfies TokenFormat;

/** Properties in which access tokens of different audiences differ or agree. */
export interface TokenFormat {
  issuer: string;
  audience: string;
  type: string;
  algorithm: string;
  /** Seconds. */
  lifetime: number;
  /** Kinds of principals for which such tokens are issued. */
  principalTypes: readonly PrincipalType[];
}

export interface VerifiedToken {
  principal: Principal;
  /** Unix milliseconds. */
  issuedAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** Source of verification keys: the JWKS of userctx, or its key ring in the same process. */
export type VerificationKeySource = JWTVerifyGetKey;

/** Errors of a key source that are caused by the token; other errors are failures of the key source itself. */
const TOKEN_ERRORS = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];
const MAX_TOKEN_LENGTH = 2_048;
const MAX_CACHED_TOKENS = 50_000;

/**
 * Verifies access tokens. Valid tokens are cached until they expire, because verifying an Ed25519 signature is
 * expensive.
 */
export class TokenVerifier {
  private readonly verifiedTokens = new LRUCache<string, VerifiedToken>(entryLimit(MAX_CACHED_TOKENS));

  constructor(
    private readonly keys: VerificationKeySource,
    private readonly now: () => number = Date.now,
    private readonly format: TokenFormat = ACCESS_TOKEN_FORMAT,
  ) {}

  /** @throws ServiceError TOKEN_INVALID (401), or SERVICE_UNAVAILABLE (503) if the keys are unavailable. */
  async verify(token: string): Promise<VerifiedToken> {
    if (token.length > MAX_TOKEN_LENGTH) throw new ServiceError('TOKEN_INVALID');
    const cached = this.verifiedTokens.get(token);
    if (cached) {
      if (cached.expiresAt > this.now()) return cached;
      this.verifiedTokens.delete(token);
      throw new ServiceError('TOKEN_INVALID');
    }
    const verified = await this.verifySignature(token);
    this.verifiedTokens.set(token, verified);
    return verified;
  }

  private async verifySignature(token: string): Promise<VerifiedToken> {
    if (token.split('.').some((part) => !decodeBase64Url(part))) throw new ServiceError('TOKEN_INVALID');
    try {
      const { payload } = await jwtVerify(token, this.findKey, {
        issuer: this.format.issuer,
        audience: this.format.audience,
        typ: this.format.type,
        algorithms: [this.format.algorithm],
        requiredClaims: ['sub', 'sid', 'iat', 'iat_ms', 'exp'],
        currentDate: new Date(this.now()),
      });
      return readClaims(payload, this.format.principalTypes);
    } catch (cause) {
      // Every error except a ServiceError of the key lookup is caused by the token.
      throw cause instanceof ServiceError ? cause : new ServiceError('TOKEN_INVALID', { cause });
    }
  }

  /** Finds the key of a token. Errors distinguish an unknown key from a failure of the key source. */
  private readonly findKey: JWTVerifyGetKey = async (header, token) => {
    if (!header.kid) throw new ServiceError('TOKEN_INVALID');
    try {
      return await this.keys(header, token);
    } catch (cause) {
      if (TOKEN_ERRORS.some((tokenError) => cause instanceof tokenError))
        throw new ServiceError('TOKEN_INVALID', { cause });
      throw new ServiceError('SERVICE_UNAVAILABLE', { retryAfter: 2, cause });
    }
  };
}

function readClaims(
  { sub = '', sid, iat_ms: issuedAt, exp }: JWTPayload,
  principalTypes: readonly string[],
): VerifiedToken {
  const [, type, id] = /^([a-z]+):(.+)$/.exec(sub) ?? [];
  const isWellFormed = typeof sid === 'string' && sid !== '' && Number.isSafeInteger(issuedAt) && exp !== undefined;
  if (!isWellFormed || !type || !id || !principalTypes.includes(type)) throw new ServiceError('TOKEN_INVALID');
  return {
    principal: { type: type as PrincipalType, id, sessionId: sid },
    issuedAt: issuedAt as number,
    expiresAt: exp * 1000,
  };
}
