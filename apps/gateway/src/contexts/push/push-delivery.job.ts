import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { PushDeliveryService } from './push-delivery.service.js';

const EVERY_MS = 500;

/** Twice a second, on every node, and at once when something urgent was stored here: sends what is due. */
@Injectable()
export class PushDeliveryJob extends PeriodicJob {
  constructor(private readonly delivery: PushDeliveryService) {
    super(EVERY_MS);
  }

  /** Does not wait for the next round. */
  trigger(): void {
    void this.runSafely();
  }

  async run(): Promise<void> {
    while ((await this.delivery.sendDue()) > 0);
  }
}
