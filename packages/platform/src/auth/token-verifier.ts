import { errors, jwtVerify } from 'jose';
import type { CryptoKey, JWTVerifyGetKey } from 'jose';
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
export type KeySource = JWTVerifyGetKey | ((...parameters: Parameters<JWTVerifyGetKey>) => Promise<CryptoKey>);

const PRINCIPAL_TYPES: readonly string[] = ['user', 'watch', 'operator'] satisfies PrincipalType[];
const MAX_TOKEN_LENGTH = 2_048;
const CACHE_SIZE = 50_000;

/** Verifies access tokens; a good one is remembered until it expires, because Ed25519 costs more than the rest of a read. */
export class TokenVerifier {
  private readonly cache = new Map<string, VerifiedToken>();

  constructor(
    private readonly keys: KeySource,
    private readonly now: () => number = Date.now,
  ) {}

  /** @throws ServiceError TOKEN_INVALID. */
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
      const { payload } = await jwtVerify(token, this.keys as JWTVerifyGetKey, {
        issuer: ACCESS_TOKEN.issuer,
        audience: ACCESS_TOKEN.audience,
        typ: ACCESS_TOKEN.type,
        algorithms: [ACCESS_TOKEN.algorithm],
        requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        currentDate: new Date(this.now()),
      });
      const [type = '', id = ''] = (payload.sub ?? '').split(':');
      if (!PRINCIPAL_TYPES.includes(type) || !id) throw new ServiceError('TOKEN_INVALID');
      return {
        principal: { type: type as PrincipalType, id, sessionId: String(payload['sid']) },
        issuedAt: Number(payload['iat_ms'] ?? Number(payload.iat) * 1000),
        expiresAt: Number(payload.exp) * 1000,
      };
    } catch (cause) {
      if (
        cause instanceof errors.JWKSTimeout ||
        !(cause instanceof errors.JOSEError || cause instanceof ServiceError)
      ) {
        throw new ServiceError('OVERLOADED', { retryAfter: 2, cause });
      }
      throw new ServiceError('TOKEN_INVALID', { cause });
    }
  }

  private evictOldest(): void {
    const oldest = this.cache.keys().next();
    if (!oldest.done) this.cache.delete(oldest.value);
  }
}
