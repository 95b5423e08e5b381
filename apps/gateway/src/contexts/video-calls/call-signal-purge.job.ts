import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@family-watch/event-bus/clock';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { CallLogRepository } from './call-log.repository.js';

const INTERVAL_MS = 5_000;
const BATCH_SIZE = 1_000;

/** Deletes expired call signals, so the IP addresses of the parties are not retained. */
@Injectable()
export class CallSignalPurgeJob extends PeriodicJob {
  constructor(
    private readonly log: CallLogRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    super(INTERVAL_MS);
  }

  async run(): Promise<void> {
    while ((await this.log.deleteExpiredSignals(this.clock.now(), BATCH_SIZE)) === BATCH_SIZE);
  }
}
