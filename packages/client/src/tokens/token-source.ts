/** A token with its end. */
export interface AccessToken {
  readonly token: string;
  /** Unix milliseconds by this machine's clock. */
  readonly expiresAt: number;
  /** How long it was good for when it was issued, milliseconds. */
  readonly lifetime: number;
}

/** Where the REST client and the socket client get the token that they show. */
export interface TokenSource {
  /** A token that is good for a while. */
  get(): Promise<AccessToken>;
  /** A token other than `stale`, which was refused or is about to end. */
  refresh(stale: string): Promise<AccessToken>;
}
