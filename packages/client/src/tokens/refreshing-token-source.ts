import type { AccessToken, TokenSource } from './token-source.js';

/** A token as the service issues it; `expiresIn` in seconds. */
export interface IssuedToken {
  accessToken: string;
  expiresIn: number;
}

export interface RefreshingTokenSourceOptions {
  /** Gets a new token from the service; never called twice at once. */
  issue: () => Promise<IssuedToken>;
  /** A token that is there already. */
  initial?: IssuedToken;
  /** Unix milliseconds. */
  now?: () => number;
}

/** A token is renewed when less than this part of its life is left. */
const RENEWED_AHEAD = 0.2;

/** Keeps one access token and renews it before it ends; whoever asks meanwhile waits for the same renewal. */
export class RefreshingTokenSource implements TokenSource {
  private readonly issue: () => Promise<IssuedToken>;
  private readonly now: () => number;
  private current: AccessToken | undefined;
  private renewal: Promise<AccessToken> | undefined;

  constructor({ issue, initial, now = Date.now }: RefreshingTokenSourceOptions) {
    this.issue = issue;
    this.now = now;
    if (initial) this.current = this.dated(initial);
  }

  async get(): Promise<AccessToken> {
    const { current } = this;
    const left = current ? current.expiresAt - this.now() : 0;
    if (current && left > current.lifetime * RENEWED_AHEAD) return current;
    try {
      return await this.renewOnce();
    } catch (error) {
      // Renewal comes early enough to be tried again: until the end the old token is as good as ever.
      if (current && this.current === current && current.expiresAt > this.now()) return current;
      throw error;
    }
  }

  refresh(stale: string): Promise<AccessToken> {
    const { current } = this;
    if (current && current.token !== stale) return this.get();
    return this.renewOnce();
  }

  private renewOnce(): Promise<AccessToken> {
    this.renewal ??= this.issue()
      .then((issued) => (this.current = this.dated(issued)))
      .finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private dated({ accessToken, expiresIn }: IssuedToken): AccessToken {
    const lifetime = expiresIn * 1_000;
    return { token: accessToken, lifetime, expiresAt: this.now() + lifetime };
  }
}
