import { Logger } from '@nestjs/common';
import { counter } from '../observability/instruments.js';
import { busyError, type WaitCause, type WaitOptions } from '../concurrency/semaphore.js';
import { WORK_PRIORITIES, type Work } from '../concurrency/work-priority.js';
import { DatabaseUnavailableError } from '../errors/database-errors.js';

const REJECTED_WORK = counter(
  'database_work_rejected_total',
  'Work that was rejected because it, or too much other work, waited for a connection or for a turn, by whose work it waited for',
  ['app', 'work', 'resource', 'cause'],
);
const LOG_INTERVAL_MS = 10_000;

/** The longest wait of an app's work for a resource of its database. Rejected work is counted and logged. */
export class WaitLimit {
  private readonly logger: Logger;
  private readonly nextLogAt = { owner: 0, others: 0 };

  constructor(private readonly options: { app: string; resource: 'connection' | 'turn'; ms: number }) {
    this.logger = new Logger(`Database:${options.app}`);
    const { app, resource } = options;
    for (const work of WORK_PRIORITIES)
      for (const cause of ['owner', 'others'] as const) REJECTED_WORK.inc({ app, work, resource, cause }, 0);
  }

  /**
   * Returns how this work waits. The error after the longest wait, or if too much work waits, is a DatabaseUnavailableError for internal work,
   * TOO_MANY_CONCURRENT_REQUESTS if the work waited for other work of its owner, and OVERLOADED otherwise.
   */
  optionsFor(work: Readonly<Work>): WaitOptions {
    return { owner: work.owner, ms: this.options.ms, error: (cause) => this.reportRejected(work, cause) };
  }

  private reportRejected({ workPriority, owner }: Readonly<Work>, cause: WaitCause): Error {
    const { app, resource } = this.options;
    REJECTED_WORK.inc({ app, work: workPriority, resource, cause });
    const now = performance.now();
    if (now >= this.nextLogAt[cause]) {
      this.nextLogAt[cause] = now + LOG_INTERVAL_MS;
      this.logger.warn({ msg: 'Database work rejected', work: workPriority, owner, resource, cause });
    }
    if (workPriority === 'internal') return new DatabaseUnavailableError();
    return busyError(cause);
  }
}
