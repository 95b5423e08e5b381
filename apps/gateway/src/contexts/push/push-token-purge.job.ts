import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { PushTokenRepository } from './push-token.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
/**
 * Tokens are retained for longer than an unused sign-in is valid. An app registers its token again whenever it starts.
 */
const TOKEN_RETENTION_MS = 120 * 24 * HOUR_MS;

/** Deletes tokens that were not registered again within the retention period, every hour. */
@Injectable()
export class PushTokenPurgeJob extends PeriodicJob {
  constructor(
    private readonly tokens: PushTokenRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(HOUR_MS);
  }

  run(): Promise<void> {
    return this.tokens.prune(this.clock.now() - TOKEN_RETENTION_MS);
  }
}
