import type { AccessToken, TokenSource } from '../tokens/token-source.js';
import { withJitter } from './jitter.js';

/** Part of a token's life after which a connection renews it, give or take a quarter: 45 % to 75 %. */
const RENEWED_AFTER = 0.6;
const RETRY_MS = 5_000;

/** Renews the token of a connection in place, well before it ends. */
export class TokenRefreshTimer {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param hand - gives the new token to the service; rejects when that failed
   * @param onProblem - a renewal failed and will be tried again
   */
  constructor(
    private readonly tokens: TokenSource,
    private readonly hand: (token: string) => Promise<unknown>,
    private readonly onProblem: (error: unknown) => void,
  ) {}

  /** The connection stands on this token. */
  start(token: AccessToken): void {
    this.stop();
    const age = Date.now() - (token.expiresAt - token.lifetime);
    this.schedule(token, Math.max(0, withJitter(token.lifetime * RENEWED_AFTER) - age));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private schedule(token: AccessToken, delay: number): void {
    this.timer = setTimeout(() => void this.renew(token), delay);
  }

  private async renew(token: AccessToken): Promise<void> {
    const { timer } = this;
    try {
      const renewed = await this.tokens.refresh(token.token);
      if (timer !== this.timer) return;
      await this.hand(renewed.token);
      if (timer === this.timer) this.start(renewed);
    } catch (error) {
      if (timer !== this.timer) return;
      this.onProblem(error);
      this.schedule(token, withJitter(RETRY_MS));
    }
  }
}
