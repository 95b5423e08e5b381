import type { JobWithQueue } from './job-queues.js';

/** Returns the names of the given jobs of which a row is due. */
export type FindDueJobs = (jobs: readonly JobWithQueue[]) => Promise<ReadonlySet<string>>;

/** A job that a {@link QueuePoll} runs. */
export interface PolledJob {
  readonly metadata: JobWithQueue;
  /** False while the job runs and after it was stopped. */
  readonly isIdle: boolean;
  run(): Promise<void>;
  /** Called instead of `run` when no row is due. */
  recordEmptyQueue(): void;
}

/**
 * Runs the jobs of one app that process a queue, each at its interval, but only if one of its rows is due. One statement
 * checks all queues: without it, an idle app would begin a transaction per job and second.
 */
export class QueuePoll {
  private readonly jobs: readonly PolledJob[];
  private readonly intervalMs: number;
  /** When each job was checked last, milliseconds of the monotonic clock. */
  private readonly checkedAt = new Map<PolledJob, number>();
  private timer: NodeJS.Timeout | undefined;
  private currentCheck: Promise<void> | undefined;

  constructor(
    jobs: readonly PolledJob[],
    private readonly findDue: FindDueJobs,
  ) {
    this.jobs = jobs;
    this.intervalMs = Math.min(...jobs.map(({ metadata }) => metadata.intervalMs));
  }

  start(): void {
    const startedAt = performance.now();
    for (const job of this.jobs) this.checkedAt.set(job, startedAt);
    this.timer = setInterval(() => {
      this.currentCheck ??= this.check().finally(() => (this.currentCheck = undefined));
    }, this.intervalMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.currentCheck;
  }

  private async check(): Promise<void> {
    const now = performance.now();
    // A timer may fire a little early or late; a job must not miss its turn because of that.
    const tolerance = this.intervalMs / 2;
    const jobs = this.jobs.filter(
      (job) => job.isIdle && now - (this.checkedAt.get(job) ?? 0) >= job.metadata.intervalMs - tolerance,
    );
    if (jobs.length === 0) return;
    for (const job of jobs) this.checkedAt.set(job, now);
    const due = await this.findDueNames(jobs);
    for (const job of jobs) {
      if (due.has(job.metadata.name)) void job.run();
      else job.recordEmptyQueue();
    }
  }

  /** Returns all names if the check fails: then each job runs, and reports its own failure. */
  private async findDueNames(jobs: readonly PolledJob[]): Promise<ReadonlySet<string>> {
    try {
      return await this.findDue(jobs.map(({ metadata }) => metadata));
    } catch {
      return new Set(jobs.map(({ metadata }) => metadata.name));
    }
  }
}
