import { openDedicatedConnection, type DatabaseAddress } from '@family-watch/platform/database/connection';

const DAY_MS = 86_400_000;

export interface LocationPartitionOptions {
  /** Unix milliseconds. */
  now: number;
  /** Number of days from today for which partitions are created. */
  daysAhead?: number;
  /** Retention of points, in days: RETENTION_LOCATION_DAYS. */
  retentionDays?: number;
}

type Connection = Awaited<ReturnType<typeof openDedicatedConnection>>;

/** Key of the advisory lock of a process that reads all partitions for long. */
const READER_LOCK = `hashtextextended('userctx.location_point readers', 0)`;

/**
 * Prevents until the connection is closed that partitions are created or dropped. A backup reads them in one
 * transaction; a change of a partition would wait for it, and everything that stores or reads points behind the change.
 */
export async function holdLocationPartitions(connection: Connection): Promise<void> {
  await connection.query(`select pg_advisory_lock_shared(${READER_LOCK})`);
}

/**
 * Creates a partition for each day from the oldest retained day to some days ahead, and drops the partitions of older
 * days. Moves points from the default partition to the partition of their day. Requires the privileges of the schema's
 * owner. Idempotent. An advisory lock serializes concurrent processes. Does nothing during a backup.
 */
export async function maintainLocationPartitions(
  address: DatabaseAddress,
  { now, daysAhead = 7, retentionDays = 30 }: LocationPartitionOptions,
): Promise<void> {
  const today = Math.floor(now / DAY_MS);
  const connection = await openDedicatedConnection(address, 'family-watch:userctx:partitions');
  try {
    await connection.query(`select pg_advisory_lock(hashtextextended('userctx.location_point', 0))`);
    const { rows } = await connection.query<{ free: boolean }>(`select pg_try_advisory_lock(${READER_LOCK}) as free`);
    if (!rows[0]?.free) return;
    const existing = await listPartitionedDays(connection);
    for (let day = today - retentionDays; day <= today + daysAhead; day += 1) {
      if (!existing.has(day)) await createDayPartition(connection, day);
    }
    for (const day of existing) {
      if (day < today - retentionDays) await connection.query(`drop table userctx.${partitionName(day)}`);
    }
    // The default partition contains points of the future too, whose day may be decades away.
    await connection.query('delete from userctx.location_point_default where least(position_time, received_at) < $1', [
      (today - retentionDays) * DAY_MS,
    ]);
  } finally {
    // Closing the connection also releases the advisory locks.
    await connection.end();
  }
}

/** Returns the days since 1970 (UTC) that have a partition. */
async function listPartitionedDays(connection: Connection): Promise<Set<number>> {
  const { rows } = await connection.query<{ name: string }>(
    `select child.relname as name from pg_inherits
       join pg_class child on child.oid = inhrelid
      where inhparent = 'userctx.location_point'::regclass`,
  );
  return new Set(
    rows.flatMap(({ name }) => {
      const [, year, month, date] = /^location_point_(\d{4})_(\d\d)_(\d\d)$/.exec(name) ?? [];
      return year === undefined ? [] : [Date.parse(`${year}-${month}-${date}`) / DAY_MS];
    }),
  );
}

/**
 * Creates the partition of a day. Moves the points of the day out of the default partition before the new partition is
 * attached, because a point cannot be in both partitions.
 */
async function createDayPartition(connection: Connection, day: number): Promise<void> {
  const [from, to] = [day * DAY_MS, (day + 1) * DAY_MS];
  const name = partitionName(day);
  await connection.query('begin');
  try {
    await connection.query('lock table userctx.location_point_default in access exclusive mode');
    await connection.query(`create table userctx.${name} (like userctx.location_point including all)`);
    await connection.query(
      `with moved as (
         delete from userctx.location_point_default where position_time >= ${from} and position_time < ${to} returning *)
       insert into userctx.${name} select * from moved`,
    );
    await connection.query(
      `alter table userctx.location_point attach partition userctx.${name} for values from (${from}) to (${to})`,
    );
    await connection.query('commit');
  } catch (error) {
    await connection.query('rollback');
    throw error;
  }
}

function partitionName(day: number): string {
  return `location_point_${new Date(day * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '_')}`;
}
