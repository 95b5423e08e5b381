import { setTimeout as sleep } from 'node:timers/promises';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { TokenVerifier, VerifiedToken } from './token-verifier.js';

/** A feed that falls silent is mostly a process that stood still for a moment: so long a caller waits, milliseconds. */
const PATIENCE_MS = 1_000;
const LOOK_EVERY_MS = 25;

/** Turns an `Authorization` header or a bare token into a principal, and checks on every use that it still stands. */
export class Authenticator {
  /** All who come while the feed is silent share it: who comes when patience has run out is refused at once. */
  #hearing: Promise<void> | null = null;

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
    if (this.revocations.isFresh) this.#hearing = null;
    else await (this.#hearing ??= this.#untilHeard());
    this.assertNotRevoked(verified);
    return verified;
  }

  /** @throws ServiceError when a token that was good has been revoked, or when that cannot be known now. */
  assertNotRevoked({ principal, issuedAt }: VerifiedToken): void {
    if (!this.revocations.isFresh) throw new ServiceError('REVOCATIONS_STALE', { retryAfter: 2 });
    const facts = { principal: principalKey(principal), sessionId: principal.sessionId, issuedAt };
    if (this.revocations.isRevoked(facts)) throw new ServiceError('TOKEN_REVOKED');
  }

  /** Ends when the feed is heard again or patience has run out. */
  async #untilHeard(): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    // The feed tells of no silence that was shorter than its own patience, nor of its end.
    while (!this.revocations.isFresh && performance.now() < end) await sleep(LOOK_EVERY_MS);
  }
}
