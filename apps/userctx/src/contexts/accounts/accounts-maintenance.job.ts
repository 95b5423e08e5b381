import { Injectable } from '@nestjs/common';
import { ACCESS_TOKEN } from '@family-watch/platform/auth/token-verifier';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { AttemptCounterRepository } from './attempts/attempt-counter.repository.js';
import { KeyRingService } from './keys/key-ring.service.js';
import { RefreshTokenRepository } from './sessions/refresh-token.repository.js';
import { RevocationRepository } from './sessions/revocation.repository.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SmsChallengeRepository } from './codes/sms-challenge.repository.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Retention by default (security, "Rights of the family"): codes ten minutes. */
const CODES_KEPT_MS = 10 * MINUTE_MS;
/** Used tokens are kept to notice when one comes again; an older one is refused as unknown. */
const USED_TOKENS_KEPT_MS = 7 * DAY_MS;
const ENDED_SESSIONS_KEPT_MS = 30 * DAY_MS;
/** Twice a token's life: generous to clocks and slow readers. */
const REVOCATIONS_KEPT_MS = 2 * ACCESS_TOKEN.lifetime * 1000;
/** Rows in one statement: short locks, and the rest a minute later. */
const BATCH = 5_000;

/** Once a minute: keys change, and what has had its time is forgotten. */
@Injectable()
export class AccountsMaintenanceJob extends PeriodicJob {
  constructor(
    private readonly keyRing: KeyRingService,
    private readonly challenges: SmsChallengeRepository,
    private readonly counters: AttemptCounterRepository,
    private readonly refreshTokens: RefreshTokenRepository,
    private readonly sessions: SessionRepository,
    private readonly revocations: RevocationRepository,
  ) {
    super(MINUTE_MS);
  }

  /** Each part on its own: one that fails does not stop the next, and comes again in a minute. */
  async run(): Promise<void> {
    const now = Date.now();
    const parts: Record<string, () => Promise<unknown>> = {
      keys: () => this.keyRing.rotate(),
      codes: () => this.challenges.prune(now - CODES_KEPT_MS),
      counters: () => this.counters.prune(now),
      refreshTokens: () => this.refreshTokens.prune(now - USED_TOKENS_KEPT_MS, BATCH),
      sessions: () => this.sessions.prune(now - ENDED_SESSIONS_KEPT_MS, BATCH),
      revocations: () => this.revocations.prune(now - REVOCATIONS_KEPT_MS),
    };
    for (const [name, part] of Object.entries(parts)) {
      try {
        await part();
      } catch (error) {
        this.logger.warn({ msg: 'Account maintenance failed', part: name, err: error });
      }
    }
  }
}
