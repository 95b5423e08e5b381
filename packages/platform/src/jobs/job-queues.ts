import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import type { JobQueueDto } from '@family-watch/domain/operators/dto/event-bus.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import type { AppDatabase } from '../database/app-database.js';
import type { JobMetadata, JobQueue } from './on-job.decorator.js';

/** A job with the queue that it processes. */
export type JobWithQueue = JobMetadata & { readonly queue: JobQueue };

const MAX_ROWS = 1_000;

/**
 * Returns a statement that selects for each job the number of due rows and the earliest due time; a due time of 0 means
 * as soon as possible and has no age.
 */
function measureQueuesSql(jobs: readonly JobWithQueue[], database: Pick<AppDatabase, 'findColumn'>): string {
  const selects = jobs.map(({ name, queue: { entity, dueAt, where } }) => {
    const { table, column } = database.findColumn(entity, dueAt);
    return `SELECT '${name}' AS job, count(*)::int AS due, min(nullif(due_at, 0)) AS "oldestDueAt"
      FROM (
        SELECT ${column} AS due_at FROM ${table} WHERE ${column} <= $1::bigint ${where ? `AND ${where}` : ''}
        ORDER BY ${column} LIMIT ${MAX_ROWS}
      ) AS waiting`;
  });
  return selects.join(' UNION ALL ');
}

/**
 * Returns a statement that selects the jobs of which a row is due. The minimum is read from the first entry of the index,
 * whatever the statistics of the table say.
 */
function findDueJobsSql(jobs: readonly JobWithQueue[], database: Pick<AppDatabase, 'findColumn'>): string {
  const selects = jobs.map(({ name, queue: { entity, dueAt, where } }) => {
    const { table, column } = database.findColumn(entity, dueAt);
    const first = `SELECT min(${column}) FROM ${table}${where ? ` WHERE ${where}` : ''}`;
    return `SELECT '${name}' AS job WHERE (${first}) <= $1::bigint`;
  });
  return selects.join(' UNION ALL ');
}

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
  async measure(jobs: readonly JobWithQueue[]): Promise<JobQueueDto[]> {
    return jobs.length === 0 ? [] : this.query(measureQueuesSql(jobs, this.database));
  }

  private query<Row extends object>(sql: string): Promise<Row[]> {
    return this.scope.executor.query<Row>(sql, [this.clock.now()]);
  }
}
