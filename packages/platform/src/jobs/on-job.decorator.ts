import { DiscoveryService } from '@nestjs/core';

export interface JobMetadata {
  /** `<app>.<context>.<action>`, the context of the log lines of this job. */
  readonly name: string;
  /** Milliseconds between the starts of two runs. */
  readonly intervalMs: number;
  /**
   * When the job runs first. By default, the first run is one interval after the application start, plus a random delay
   * of up to a quarter of the interval. The application start waits for a first run `before start`, not for one `at
   * start`.
   */
  readonly firstRun?: 'before start' | 'at start';
  /**
   * True for a job that runs until the client sockets are closed. Other jobs are stopped earlier, which takes until the
   * longest of their current runs has ended.
   */
  readonly runsWhileClientsAreConnected?: boolean;
  /**
   * The rows that the job processes when they are due; their number and age are metrics. A job with a queue does nothing
   * but process it, because the job runs only if a row is due.
   */
  readonly queue?: JobQueue;
}

/** Rows of one table with a due time; an index must begin with the due time. */
export interface JobQueue {
  readonly entity: new () => object;
  /** Property of the entity with the due time, Unix milliseconds. */
  readonly dueAt: string;
  /** SQL condition of the rows that the job processes, as in the index; absent if it processes all due rows. */
  readonly where?: string;
}

export const JobMetadata = DiscoveryService.createDecorator<JobMetadata>();

type JobMethod = (now: number, signal: AbortSignal) => Promise<unknown>;

type JobDecorator = <Method extends JobMethod>(
  target: object,
  key: string,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Runs the method periodically, see {@link JobScheduler}. The class must be a provider. The method receives the time in
 * Unix milliseconds, and a signal that is aborted when the application stops. A method that runs for a long time should
 * return soon after the abort.
 */
export function OnJob(name: string, options: Omit<JobMetadata, 'name'>): JobDecorator {
  return JobMetadata({ name, ...options });
}
