import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BatchRunnerService } from './batch-runner.service.js';

/** Poll interval for tasks of crashed replicas and for chunks that are retried. */
const INTERVAL_MS = 1_000;
/**
 * Maximum pause after a chunk. The pause is as long as the chunk took, so that the database has capacity for requests.
 */
const MAX_PAUSE_MS = 50;

/**
 * Processes batch tasks until no task is due. The job runs on every replica; each chunk is processed by one replica.
 */
@Injectable()
export class BatchTaskJob extends PeriodicJob {
  private stopping = false;

  constructor(private readonly runner: BatchRunnerService) {
    super(INTERVAL_MS);
  }

  /** Starts a run of the job immediately unless a run is in progress. */
  trigger(): void {
    if (!this.stopping) void this.runSafely();
  }

  async run(): Promise<void> {
    for (let before = Date.now(); !this.stopping && (await this.runner.runNext()); before = Date.now()) {
      await sleep(Math.min(Date.now() - before, MAX_PAUSE_MS));
    }
  }

  /** Stops the job after the current chunk. */
  override async stop(): Promise<void> {
    this.stopping = true;
    await super.stop();
  }
}
