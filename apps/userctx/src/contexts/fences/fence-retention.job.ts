import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { FenceEventRepository } from './fence-event.repository.js';

const INTERVAL_MS = 3_600_000;
/** Milliseconds. Fence events are retained as long as location points: 30 days. */
const RETENTION_MS = 30 * 24 * 3_600_000;

/** Deletes fence events after their retention, once an hour, because they reveal where a child was. */
@Injectable()
export class FenceRetentionJob extends PeriodicJob {
  constructor(private readonly events: FenceEventRepository) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    await this.events.deleteRecordedBefore(now - RETENTION_MS);
  }
}
