import { Injectable } from '@nestjs/common';
import { ACCESS_TOKEN_FORMAT } from '@family-watch/platform/auth/token-verifier';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { AttemptCounterRepository } from './attempts/attempt-counter.repository.js';
import { KeyRingService } from './keys/key-ring.service.js';
import { RefreshTokenRepository } from './sessions/refresh-token.repository.js';
import { RevocationRepository } from './sessions/revocation.repository.js';
import { SessionRepository } from './sessions/session.repository.js';
import { SmsChallengeRepository } from './codes/sms-challenge.repository.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Retention of SMS codes: ten minutes. */
const CODE_RETENTION_MS = 10 * MINUTE_MS;
/**
 * Used refresh tokens are retained for seven days to detect their reuse. A deleted refresh token is rejected as
 * unknown.
 */
const USED_TOKEN_RETENTION_MS = 7 * DAY_MS;
const ENDED_SESSION_RETENTION_MS = 30 * DAY_MS;
/**
 * Revocations are retained for twice the lifetime of an access token, as a margin for clock differences and for
 * processes that read revocations late.
 */
const REVOCATION_RETENTION_MS = 2 * ACCESS_TOKEN_FORMAT.lifetime * 1000;
/** Rows per statement. Limits how long rows are locked; the remaining rows are deleted a minute later. */
const BATCH_SIZE = 5_000;

/** Rotates the signing keys and deletes expired data once a minute. */
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

  /** Runs the cleanup steps independently: a failing step does not stop the others and is retried after a minute. */
  async run(): Promise<void> {
    const now = Date.now();
    const parts: Record<string, () => Promise<unknown>> = {
      keys: () => this.keyRing.rotate(),
      codes: () => this.challenges.prune(now - CODE_RETENTION_MS),
      counters: () => this.counters.prune(now),
      refreshTokens: () => this.refreshTokens.prune(now - USED_TOKEN_RETENTION_MS, BATCH_SIZE),
      sessions: () => this.sessions.prune(now - ENDED_SESSION_RETENTION_MS, BATCH_SIZE),
      revocations: () => this.revocations.prune(now - REVOCATION_RETENTION_MS),
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
