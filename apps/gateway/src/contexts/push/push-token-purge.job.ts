import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { PushTokenRepository } from './push-token.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
/** Longer than a sign-in lasts without being used; an app registers anew whenever it starts. */
const TOKEN_RETENTION_MS = 120 * 24 * HOUR_MS;

/** Every hour: tokens that no app has registered for so long are forgotten. */
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
