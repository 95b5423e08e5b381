import type { AccessToken, TokenSource } from './token-source.js';

/** A token as the service issues it. */
export interface IssuedToken {
  accessToken: string;
  /** Seconds. */
  expiresIn: number;
}

export interface RefreshingTokenSourceOptions {
  /** Requests a new token from the service; never called concurrently. */
  requestToken: () => Promise<IssuedToken>;
  /** A token that the caller has already obtained. */
  initialToken?: IssuedToken;
  /** Returns the current time in Unix milliseconds. */
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

  constructor({ requestToken, initialToken, now = Date.now }: RefreshingTokenSourceOptions) {
    this.requestToken = requestToken;
    this.now = now;
    if (initialToken) this.currentToken = this.toAccessToken(initialToken);
  }

  async get(): Promise<AccessToken> {
    const { currentToken: current } = this;
    const remainingMs = current ? current.expiresAt - this.now() : 0;
    if (current && remainingMs > current.ttlMs * REFRESH_BELOW_FRACTION) return current;
    try {
      return await this.refreshOnce();
    } catch (error) {
      // While the current token is valid, a failed refresh is retried with the next call.
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
