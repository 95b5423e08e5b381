import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { CallSignalRepository } from './call-signal.repository.js';

const EVERY_MS = 5_000;
const ROWS_AT_ONCE = 1_000;

/** Signals are gone when they can be delivered no more: nobody is to learn later from where somebody called. */
@Injectable()
export class CallSignalPurgeJob extends PeriodicJob {
  constructor(
    private readonly signals: CallSignalRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(EVERY_MS);
  }

  async run(): Promise<void> {
    while ((await this.signals.deleteExpired(this.clock.now(), ROWS_AT_ONCE)) === ROWS_AT_ONCE);
  }
}
