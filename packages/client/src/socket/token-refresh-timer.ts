import type { AccessToken, TokenSource } from '../tokens/token-source.js';
import { withJitter } from './jitter.js';

/** Fraction of a token's TTL after which the token is refreshed; with jitter, 45 % to 75 % of the TTL. */
const REFRESH_AFTER_FRACTION = 0.6;
const RETRY_DELAY_MS = 5_000;

/** Refreshes the token of a connection before it expires, without reconnecting. */
export class TokenRefreshTimer {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param sendToken - sends the new token to the service; rejects on failure
   * @param onFailure - called when a refresh fails; the timer retries after about five seconds
   */
  constructor(
    private readonly tokens: TokenSource,
    private readonly sendToken: (token: string) => Promise<unknown>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Schedules the refresh of the token that the connection uses. */
  start(token: AccessToken): void {
    this.stop();
    const ageMs = Date.now() - (token.expiresAt - token.ttlMs);
    this.schedule(token, Math.max(0, withJitter(token.ttlMs * REFRESH_AFTER_FRACTION) - ageMs));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private schedule(token: AccessToken, delayMs: number): void {
    this.timer = setTimeout(() => void this.refresh(token), delayMs);
  }

  private async refresh(token: AccessToken): Promise<void> {
    const { timer } = this;
    try {
      const refreshed = await this.tokens.refresh(token.token);
      if (timer !== this.timer) return;
      await this.sendToken(refreshed.token);
      if (timer === this.timer) this.start(refreshed);
    } catch (error) {
      if (timer !== this.timer) return;
      this.onFailure(error);
      this.schedule(token, withJitter(RETRY_DELAY_MS));
    }
  }
}
