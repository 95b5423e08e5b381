import type { AppDatabase } from '../database/app-database.js';
import type { JobMetadata, JobQueue } from './on-job.decorator.js';

/** A job with the queue that it processes. */
export type JobWithQueue = JobMetadata & { readonly queue: JobQueue };

const MAX_ROWS = 1_000;

/**
 * Raw SQL: one statement for the queues of all jobs, each a count over a limited subquery. Returns for each job the
 * number of due rows and the earliest due time; a due time of 0 means as soon as possible and has no age.
 */
export function measureQueuesSql(jobs: readonly JobWithQueue[], database: Pick<AppDatabase, 'findColumn'>): string {
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
 * Raw SQL: one statement for the queues of all jobs. Returns the jobs of which a row is due. The minimum is read from the
 * first entry of the index, whatever the statistics of the table say.
 */
export function findDueJobsSql(jobs: readonly JobWithQueue[], database: Pick<AppDatabase, 'findColumn'>): string {
  const selects = jobs.map(({ name, queue: { entity, dueAt, where } }) => {
    const { table, column } = database.findColumn(entity, dueAt);
    const first = `SELECT min(${column}) FROM ${table}${where ? ` WHERE ${where}` : ''}`;
    return `SELECT '${name}' AS job WHERE (${first}) <= $1::bigint`;
  });
  return selects.join(' UNION ALL ');
}
