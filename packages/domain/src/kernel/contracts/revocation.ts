import type { PrincipalKey } from './principal.js';

/** Makes access tokens invalid before they expire (see "Guarantees" in docs/architecture.md). */
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

/** Local copy of the current revocations. Every app checks it on each use of an access token. */
export interface RevocationFeed {
  /** False while the feed may have missed a revocation. The app rejects requests until the feed is fresh again. */
  readonly isFresh: boolean;
  isRevoked(token: TokenIdentity): boolean;
  /** Calls `listener` for each new revocation; returns a function that unsubscribes. */
  onRevoked(listener: (revocation: Revocation) => void): () => void;
  /** Calls `listener` when `isFresh` changes; returns a function that unsubscribes. */
  onFreshnessChange(listener: (fresh: boolean) => void): () => void;
}

/**
 * Publishes revocations. userctx publishes them after it has committed the end of a session or of a principal's access.
 */
export interface RevocationPublisher {
  revoke(revocations: Revocation[]): Promise<void>;
}
