import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { JobQueueDepth } from '@family-watch/domain/operators/contracts/app-administration';
import type { Clock } from '@family-watch/event-bus/clock';
import type { AppDatabase } from '../database/app-database.js';
import { findDueJobsSql, measureQueuesSql } from './job-queues.sql.js';
import type { JobWithQueue } from './job-queues.sql.js';

/** Queries the queues of the jobs of one app. */
export class JobQueues {
  constructor(
    private readonly database: Pick<AppDatabase, 'findColumn'>,
    private readonly scope: TransactionScope,
    private readonly clock: Clock,
  ) {}

  /** Returns the names of the given jobs of which a row is due. */
  async findDue(jobs: readonly JobWithQueue[]): Promise<ReadonlySet<string>> {
    const rows = await this.query<{ job: string }>(findDueJobsSql(jobs, this.database));
    return new Set(rows.map(({ job }) => job));
  }

  /** Measures the queues in one statement, which reads at most 1,000 rows of each. */
  async measure(jobs: readonly JobWithQueue[]): Promise<JobQueueDepth[]> {
    return jobs.length === 0 ? [] : this.query(measureQueuesSql(jobs, this.database));
  }

  private query<Row extends object>(sql: string): Promise<Row[]> {
    return this.scope.executor.query<Row>(sql, [this.clock.now()]);
  }
}
