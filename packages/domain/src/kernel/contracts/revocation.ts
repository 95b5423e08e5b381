import type { PrincipalKey } from './principal.js';

/** Ends access before the access token expires (see "Guarantees" in docs/architecture.md). */
export interface Revocation {
  id: string;
  /** Scope of the revocation: one session, or all tokens of a principal that were issued before `time`. */
  scope: { sessionId: string } | { principal: PrincipalKey };
  /** Unix milliseconds. */
  time: number;
}

/** The claims of a token that apps check against the revocation feed. */
export interface TokenIdentity {
  principal: PrincipalKey;
  sessionId: string;
  /** Unix milliseconds. */
  issuedAt: number;
}

/** The current revocations, which every app checks on each use of a token. */
export interface RevocationFeed {
  /** False when the feed is stale and may have missed a revocation; the app then rejects requests. */
  readonly isFresh: boolean;
  isRevoked(token: TokenIdentity): boolean;
  /** Calls `listener` for each new revocation; returns a function that unsubscribes. */
  onRevoked(listener: (revocation: Revocation) => void): () => void;
  /** Calls `listener` when `isFresh` changes; returns a function that unsubscribes. */
  onFreshnessChange(listener: (fresh: boolean) => void): () => void;
}

/** Publishes revocations; used by userctx after the transaction that ended the access has committed. */
export interface RevocationPublisher {
  revoke(revocations: Revocation[]): Promise<void>;
}
