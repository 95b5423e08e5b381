import { setTimeout as sleep } from 'node:timers/promises';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { TokenVerifier, VerifiedToken } from './token-verifier.js';

/**
 * How long callers wait for a stale revocation feed, milliseconds. A feed usually becomes stale because the event loop
 * was blocked briefly.
 */
const FRESHNESS_TIMEOUT_MS = 1_000;
const POLL_INTERVAL_MS = 25;

/**
 * Authenticates an `Authorization` header or a bare token, and checks on every use that the token has not been revoked.
 */
export class Authenticator {
  /**
   * The wait that all callers share while the revocation feed is stale. Callers after the timeout are rejected
   * immediately, until the feed is fresh again.
   */
  #freshnessWait: Promise<void> | null = null;

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

  /**
   * Authenticates a token without an Authorization header: a socket sends the token when it connects or renews its
   * token.
   *
   * @throws ServiceError TOKEN_INVALID, TOKEN_REVOKED (401) or REVOCATIONS_STALE (503).
   */
  async verify(token: string): Promise<VerifiedToken> {
    const verified = await this.verifier.verify(token);
    if (this.revocations.isFresh) this.#freshnessWait = null;
    else await (this.#freshnessWait ??= this.#waitUntilFresh());
    this.assertNotRevoked(verified);
    return verified;
  }

  /** @throws ServiceError TOKEN_REVOKED (401), or REVOCATIONS_STALE (503) if the revocation feed is stale. */
  assertNotRevoked({ principal, issuedAt }: VerifiedToken): void {
    if (!this.revocations.isFresh) throw new ServiceError('REVOCATIONS_STALE', { retryAfter: 2 });
    const identity = { principal: principalKey(principal), sessionId: principal.sessionId, issuedAt };
    if (this.revocations.isRevoked(identity)) throw new ServiceError('TOKEN_REVOKED');
  }

  /** Resolves when the revocation feed is fresh or the timeout has elapsed. */
  async #waitUntilFresh(): Promise<void> {
    const end = performance.now() + FRESHNESS_TIMEOUT_MS;
    // `onFreshnessChange` does not report short interruptions of the feed, so the loop polls.
    while (!this.revocations.isFresh && performance.now() < end) await sleep(POLL_INTERVAL_MS);
  }
}
