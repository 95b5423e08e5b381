import { ApiError, NetworkError } from '../api-error.js';
import { RefreshingTokenSource, type IssuedToken } from './refreshing-token-source.js';
import type { AccessToken, TokenSource } from './token-source.js';

/** Tokens that a sign-in returns. */
export interface SessionTokens extends IssuedToken {
  /** Absent if a cookie of the browser contains it. */
  refreshToken?: string;
}

export interface UserTokenSourceOptions {
  tokens: SessionTokens;
  /** Exchanges a refresh token for new tokens (operation `refreshToken`). */
  refresh: (refreshToken: string | undefined) => Promise<SessionTokens>;
  /**
   * Stores the tokens for the next start of the app. The token source uses the tokens only after the returned promise
   * has resolved.
   */
  onTokens?: (tokens: SessionTokens) => void | Promise<void>;
  /**
   * Called when the session has ended: by a sign-out, by its deletion on another device, or because a refresh token was
   * used twice.
   */
  onEnded?: (error: ApiError) => void;
  /** Returns the current time in Unix milliseconds. */
  now?: () => number;
}

/** Access tokens of a user session. Each refresh token is used once; the response contains the next refresh token. */
export class UserTokenSource implements TokenSource {
  private readonly accessTokens: RefreshingTokenSource;
  private refreshToken: string | undefined;
  private sessionEndError: ApiError | undefined;

  constructor(private readonly options: UserTokenSourceOptions) {
    this.refreshToken = options.tokens.refreshToken;
    this.accessTokens = new RefreshingTokenSource({
      requestToken: () => this.requestNewTokens(),
      initialToken: options.tokens,
      now: options.now,
    });
  }

  get(): Promise<AccessToken> {
    return this.accessTokens.get();
  }

  refresh(stale: string): Promise<AccessToken> {
    return this.accessTokens.refresh(stale);
  }

  private async requestNewTokens(): Promise<SessionTokens> {
    if (this.sessionEndError) throw this.sessionEndError;
    try {
      const tokens = await this.refreshWithRetry();
      this.refreshToken = tokens.refreshToken;
      await this.options.onTokens?.(tokens);
      return tokens;
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'REFRESH_TOKEN_INVALID') {
        this.sessionEndError = error;
        this.options.onEnded?.(error);
      }
      throw error;
    }
  }

  /**
   * Requests new tokens, and retries once if the response was lost. The service returns the same new tokens for ten
   * seconds if the same refresh token is sent again.
   */
  private async refreshWithRetry(): Promise<SessionTokens> {
    try {
      return await this.options.refresh(this.refreshToken);
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
      return this.options.refresh(this.refreshToken);
    }
  }
}
