import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { FenceEventRepository } from './fence-event.repository.js';

const EVERY = 3_600_000;
/** As long as positions: 30 days. Milliseconds. */
const KEPT = 30 * 24 * 3_600_000;

/** Once an hour, what fences told long ago is removed: it says where a child was. */
@Injectable()
export class FenceRetentionJob extends PeriodicJob {
  constructor(private readonly events: FenceEventRepository) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    await this.events.deleteRecordedBefore(now - KEPT);
  }
}
