import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PushDeliveryService } from './push-delivery.service.js';

const INTERVAL_MS = 500;

/** Sends due notifications twice a second on every node, and immediately after {@link trigger} was called. */
@Injectable()
export class PushDeliveryJob extends PeriodicJob {
  constructor(private readonly delivery: PushDeliveryService) {
    super(INTERVAL_MS);
  }

  /** Runs the job immediately instead of at the next interval. */
  trigger(): void {
    void this.runSafely();
  }

  async run(): Promise<void> {
    while ((await this.delivery.sendDueRequests()) > 0);
  }
}
