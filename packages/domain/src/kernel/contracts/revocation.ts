import type { PrincipalKey } from './principal.js';

/** Ends access before its token expires (architecture: "Who knows what"). */
export interface Revocation {
  id: string;
  /** One session, or every token of a principal that was issued before `time`. */
  scope: { sessionId: string } | { principal: PrincipalKey };
  /** Unix milliseconds. */
  time: number;
}

/** What a token says of itself when it is checked against the feed. */
export interface TokenIdentity {
  principal: PrincipalKey;
  sessionId: string;
  /** Unix milliseconds. */
  issuedAt: number;
}

/** The live list of revocations that every app checks on every use of a token. */
export interface RevocationFeed {
  /** False when the feed has been silent for so long that a revocation may have been missed: doors close. */
  readonly isFresh: boolean;
  isRevoked(token: TokenIdentity): boolean;
  /** Tells at once of each new revocation; returns how to stop. */
  onRevoked(listener: (revocation: Revocation) => void): () => void;
  /** Tells when `isFresh` changes; returns how to stop. */
  onFreshness(listener: (fresh: boolean) => void): () => void;
}

/** The side that userctx writes; call it after the commit of what ended the access. */
export interface RevocationPublisher {
  revoke(revocations: Revocation[]): Promise<void>;
}
