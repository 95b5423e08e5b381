import type { AccessToken, TokenSource } from './token-source.js';

/** A token as the service issues it; `expiresIn` in seconds. */
export interface IssuedToken {
  accessToken: string;
  expiresIn: number;
}

export interface RefreshingTokenSourceOptions {
  /** Requests a new token from the service; never called concurrently. */
  requestToken: () => Promise<IssuedToken>;
  /** A token that the caller already has. */
  initialToken?: IssuedToken;
  /** Unix milliseconds. */
  now?: () => number;
}

/** A token is refreshed when less than this fraction of its TTL remains. */
const REFRESH_BELOW_FRACTION = 0.2;

/** Caches one access token and refreshes it before it expires. Concurrent callers share one refresh. */
export class RefreshingTokenSource implements TokenSource {
  private readonly requestToken: () => Promise<IssuedToken>;
  private readonly now: () => number;
  private currentToken: AccessToken | undefined;
  private pendingRefresh: Promise<AccessToken> | undefined;

  constructor({ requestToken: issue, initialToken: initial, now = Date.now }: RefreshingTokenSourceOptions) {
    this.requestToken = issue;
    this.now = now;
    if (initial) this.currentToken = this.toAccessToken(initial);
  }

  async get(): Promise<AccessToken> {
    const { currentToken: current } = this;
    const remainingMs = current ? current.expiresAt - this.now() : 0;
    if (current && remainingMs > current.ttlMs * REFRESH_BELOW_FRACTION) return current;
    try {
      return await this.refreshOnce();
    } catch (error) {
      // A failed refresh can be retried, because the old token is still valid.
      if (current && this.currentToken === current && current.expiresAt > this.now()) return current;
      throw error;
    }
  }

  refresh(stale: string): Promise<AccessToken> {
    const { currentToken: current } = this;
    if (current && current.token !== stale) return this.get();
    return this.refreshOnce();
  }

  private refreshOnce(): Promise<AccessToken> {
    this.pendingRefresh ??= this.requestToken()
      .then((issued) => (this.currentToken = this.toAccessToken(issued)))
      .finally(() => (this.pendingRefresh = undefined));
    return this.pendingRefresh;
  }
  private toAccessToken({ accessToken, expiresIn }: IssuedToken): AccessToken {
    const ttlMs = expiresIn * 1_000;
    return { token: accessToken, ttlMs, expiresAt: this.now() + ttlMs };
  }
}
