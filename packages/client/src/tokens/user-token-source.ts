import { ApiError, NetworkError } from '../api-error.js';
import { RefreshingTokenSource } from './refreshing-token-source.js';
import type { IssuedToken } from './refreshing-token-source.js';
import type { AccessToken, TokenSource } from './token-source.js';

/** What a sign-in gives; `expiresIn` in seconds. */
export interface SessionTokens extends IssuedToken {
  refreshToken: string;
}

export interface UserTokenSourceOptions {
  tokens: SessionTokens;
  /** Changes a refresh token for new tokens (operation `refreshToken`). */
  refresh: (refreshToken: string) => Promise<SessionTokens>;
  /** Keeps the tokens, for the next start of the app. They are used when it has resolved. */
  onTokens?: (tokens: SessionTokens) => void | Promise<void>;
  /** The session is over: signed out elsewhere, removed, or its refresh token was used twice. */
  onEnded?: (error: ApiError) => void;
  /** Unix milliseconds. */
  now?: () => number;
}

/** A person's session: each refresh token is good for one use and is replaced by the one that comes back. */
export class UserTokenSource implements TokenSource {
  private readonly access: RefreshingTokenSource;
  private refreshToken: string;
  private end: ApiError | undefined;

  constructor(private readonly options: UserTokenSourceOptions) {
    this.refreshToken = options.tokens.refreshToken;
    this.access = new RefreshingTokenSource({ issue: () => this.rotate(), initial: options.tokens, now: options.now });
  }

  get(): Promise<AccessToken> {
    return this.access.get();
  }

  refresh(stale: string): Promise<AccessToken> {
    return this.access.refresh(stale);
  }

  private async rotate(): Promise<SessionTokens> {
    if (this.end) throw this.end;
    try {
      const tokens = await this.refreshTwice();
      this.refreshToken = tokens.refreshToken;
      await this.options.onTokens?.(tokens);
      return tokens;
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'REFRESH_TOKEN_INVALID') {
        this.end = error;
        this.options.onEnded?.(error);
      }
      throw error;
    }
  }

  /** An answer that was lost is fetched again at once: for ten seconds the same token gives the same successor. */
  private async refreshTwice(): Promise<SessionTokens> {
    try {
      return await this.options.refresh(this.refreshToken);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      return this.options.refresh(this.refreshToken);
    }
  }
}
