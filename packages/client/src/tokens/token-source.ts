/** An access token with its expiry. */
export interface AccessToken {
  readonly token: string;
  /** Time of expiry in Unix milliseconds, by the clock of this machine. */
  readonly expiresAt: number;
  /** TTL of the token: milliseconds from issue to expiry. */
  readonly ttlMs: number;
}

/** Source of the access tokens that the REST client and the socket client send. */
export interface TokenSource {
  /** Returns a token that does not expire soon. */
  get(): Promise<AccessToken>;
  /** Returns a token other than `stale`, which was rejected or is about to expire. */
  refresh(stale: string): Promise<AccessToken>;
}
