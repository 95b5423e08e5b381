import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { TokenVerifier, VerifiedToken } from './token-verifier.js';

/** Turns an `Authorization` header or a bare token into a principal, and checks on every use that it still stands. */
export class Authenticator {
  constructor(
    private readonly verifier: TokenVerifier,
    private readonly revocations: RevocationFeed,
  ) {}

  /** @throws ServiceError TOKEN_MISSING, TOKEN_INVALID, TOKEN_REVOKED (401) or REVOCATIONS_STALE (503). */
  async authenticate(authorization: string | undefined): Promise<Principal> {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) throw new ServiceError('TOKEN_MISSING');
    return (await this.verify(token)).principal;
  }

  /** Same as {@link authenticate} for a token that came without a header (the socket's handshake and renewal). */
  async verify(token: string): Promise<VerifiedToken> {
    const verified = await this.verifier.verify(token);
    this.assertStanding(verified);
    return verified;
  }

  /** @throws ServiceError when a token that was good has been revoked, or when that cannot be known now. */
  assertStanding({ principal, issuedAt }: VerifiedToken): void {
    if (!this.revocations.isFresh) throw new ServiceError('REVOCATIONS_STALE', { retryAfter: 2 });
    const facts = { principal: principalKey(principal), sessionId: principal.sessionId, issuedAt };
    if (this.revocations.isRevoked(facts)) throw new ServiceError('TOKEN_REVOKED');
  }
}
