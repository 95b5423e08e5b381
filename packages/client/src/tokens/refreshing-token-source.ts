import type { AccessToken, TokenSource } from './token-source.js';

/** A token as the service issues it; `expiresIn` in seconds. */
export interface IssuedToken {
  accessToken: string;
  expiresIn: number;
}

export interface RefreshingTokenSourceOptions {
  /** Requests a new token from the service; never called concurrently. */
  issue: () => Promise<IssuedToken>;
  /** A token that the caller already has. */
  initial?: IssuedToken;
  /** Unix milliseconds. */
  now?: () => number;
}

/** A token is refreshed when less than this fraction of its TTL remains. */
const REFRESH_BELOW_FRACTION = 0.2;

/** Caches one access token and refreshes it before it expires. Concurrent callers share one refresh. */
export class RefreshingTokenSource implements TokenSource {
  private readonly issue: () => Promise<IssuedToken>;
  private readonly now: () => number;
  private current: AccessToken | undefined;
  private pendingRefresh: Promise<AccessToken> | undefined;

  constructor({ issue, initial, now = Date.now }: RefreshingTokenSourceOptions) {
    this.issue = issue;
    this.now = now;
    if (initial) this.current = this.toAccessToken(initial);
  }

  async get(): Promise<AccessToken> {
    const { current } = this;
    const remainingMs = current ? current.expiresAt - this.now() : 0;
    if (current && remainingMs > current.ttlMs * REFRESH_BELOW_FRACTION) return current;
    try {
      return await this.refreshOnce();
    } catch (error) {
      // A failed refresh can be retried, because the old token is still valid.
      if (current && this.current === current && current.expiresAt > this.now()) return current;
      throw error;
    }
  }

  refresh(stale: string): Promise<AccessToken> {
    const { current } = this;
    if (current && current.token !== stale) return this.get();
    return this.refreshOnce();
  }

  private refreshOnce(): Promise<AccessToken> {
    this.pendingRefresh ??= this.issue()
      .then((issued) => (this.current = this.toAccessToken(issued)))
      .finally(() => (this.pendingRefresh = undefined));
    return this.pendingRefresh;
  }
  private toAccessToken({ accessToken, expiresIn }: IssuedToken): AccessToken {
    const ttlMs = expiresIn * 1_000;
    return { token: accessToken, ttlMs, expiresAt: this.now() + ttlMs };
  }
}
