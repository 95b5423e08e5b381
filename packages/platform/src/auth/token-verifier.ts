import { errors, jwtVerify } from 'jose';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Principal, PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';

/** What an access token is: pinned here, used by the side that signs and the sides that verify. */
export const ACCESS_TOKEN = {
  issuer: 'family-watch',
  audience: 'family-watch',
  type: 'at+jwt',
  algorithm: 'EdDSA',
  /** Seconds. */
  lifetime: 600,
} as const;

export interface VerifiedToken {
  principal: Principal;
  /** Unix milliseconds. */
  issuedAt: number;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** Where verification keys come from: the JWKS of userctx, or its key ring in the same process. */
export type VerificationKeySource = JWTVerifyGetKey;

const PRINCIPAL_TYPES: readonly string[] = ['user', 'watch', 'operator'] satisfies PrincipalType[];
/** What a key source says of a token that names no key of ours; anything else it throws is its own trouble. */
const TOKEN_FAULTS = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];
const MAX_TOKEN_LENGTH = 2_048;
const CACHE_SIZE = 50_000;

/** Verifies access tokens; a good one is remembered until it expires, because Ed25519 costs more than the rest of a read. */
export class TokenVerifier {
  private readonly cache = new Map<string, VerifiedToken>();

  constructor(
    private readonly keys: VerificationKeySource,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws ServiceError TOKEN_INVALID (401), or OVERLOADED (503) when the keys cannot be had now. */
  async verify(token: string): Promise<VerifiedToken> {
    if (token.length > MAX_TOKEN_LENGTH) throw new ServiceError('TOKEN_INVALID');
    const known = this.cache.get(token);
    if (known) {
      if (known.expiresAt > this.now()) return known;
      this.cache.delete(token);
      throw new ServiceError('TOKEN_INVALID');
    }
    const verified = await this.verifySignature(token);
    if (this.cache.size >= CACHE_SIZE) this.evictOldest();
    this.cache.set(token, verified);
    return verified;
  }

  private async verifySignature(token: string): Promise<VerifiedToken> {
    try {
      const { payload } = await jwtVerify(token, this.findKey, {
        issuer: ACCESS_TOKEN.issuer,
        audience: ACCESS_TOKEN.audience,
        typ: ACCESS_TOKEN.type,
        algorithms: [ACCESS_TOKEN.algorithm],
        requiredClaims: ['sub', 'sid', 'iat', 'iat_ms', 'exp'],
        currentDate: new Date(this.now()),
      });
      return readClaims(payload);
    } catch (cause) {
      // Beyond the search for the key nothing depends on anything but the token.
      throw cause instanceof ServiceError ? cause : new ServiceError('TOKEN_INVALID', { cause });
    }
  }

  /** Tells a token that names no key of ours from a time when our keys cannot be asked for. */
  private readonly findKey: JWTVerifyGetKey = async (header, token) => {
    if (!header.kid) throw new ServiceError('TOKEN_INVALID');
    try {
      return await this.keys(header, token);
    } catch (cause) {
      if (TOKEN_FAULTS.some((fault) => cause instanceof fault)) throw new ServiceError('TOKEN_INVALID', { cause });
      throw new ServiceError('OVERLOADED', { retryAfter: 2, cause });
    }
  };

  private evictOldest(): void {
    const oldest = this.cache.keys().next();
    if (!oldest.done) this.cache.delete(oldest.value);
  }
}

function readClaims({ sub = '', sid, iat_ms: issuedAt, exp }: JWTPayload): VerifiedToken {
  const [, type, id] = /^([a-z]+):(.+)$/.exec(sub) ?? [];
  const wellFormed = typeof sid === 'string' && sid !== '' && Number.isSafeInteger(issuedAt) && exp !== undefined;
  if (!wellFormed || !type || !id || !PRINCIPAL_TYPES.includes(type)) throw new ServiceError('TOKEN_INVALID');
  return {
    principal: { type: type as PrincipalType, id, sessionId: sid },
    issuedAt: issuedAt as number,
    expiresAt: exp * 1000,
  };
}
