import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { BatchRunnerService } from './batch-runner.service.js';

/** Tasks of other replicas that died, and parts that are tried again, are found this late. Milliseconds. */
const INTERVAL_MS = 1_000;
/** Others get as much of the database as this takes, up to a limit. Milliseconds. */
const MAX_PAUSE_MS = 50;

/** Works on batch tasks as long as there are any. Every replica does; each part is one replica's. */
@Injectable()
export class BatchTaskJob extends PeriodicJob {
  private stopping = false;

  constructor(private readonly runner: BatchRunnerService) {
    super(INTERVAL_MS);
  }

  /** Something is to be done: begins at once, if it has not begun already. */
  trigger(): void {
    if (!this.stopping) void this.runSafely();
  }

  async run(): Promise<void> {
    for (let before = Date.now(); !this.stopping && (await this.runner.runNext()); before = Date.now()) {
      await sleep(Math.min(Date.now() - before, MAX_PAUSE_MS));
    }
  }

  /** Ends after the part under way. */
  override async stop(): Promise<void> {
    this.stopping = true;
    await super.stop();
  }
}
