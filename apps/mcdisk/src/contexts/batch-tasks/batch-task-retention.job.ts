import { Injectable } from '@nestjs/common';
import { BATCH_TASK_RETENTION_MS } from '@family-watch/domain/family-cloud/contracts/cloud-task';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BatchTaskRepository } from './batch-task.repository.js';

const INTERVAL_MS = 60 * 60_000;
const BATCH_SIZE = 1_000;

/** Deletes batch tasks a week after they finished. */
@Injectable()
export class BatchTaskRetentionJob extends PeriodicJob {
  constructor(private readonly tasks: BatchTaskRepository) {
    super(INTERVAL_MS);
  }

  /** @param now Unix milliseconds */
  async run(now = Date.now()): Promise<void> {
    while ((await this.tasks.deleteFinished(now - BATCH_TASK_RETENTION_MS, BATCH_SIZE)) === BATCH_SIZE);
  }
}
