import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Environment } from '@family-watch/platform/config/environment';
import { openDedicatedConnection } from '@family-watch/platform/database/connection';
import { JobScheduler } from '@family-watch/platform/jobs/job-scheduler';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { holdLocationPartitions, maintainLocationPartitions } from '../../../src/database/location-partitions.js';
import { LOCATION_PARTITIONS_JOB, OwnerJobs, startOwnerJobs } from '../../../src/database/owner-jobs.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-03-10T12:00:00Z');
const CID = '6f1f7a52-9d0a-4b0e-8f2b-0c6f1a9e7d31';

let environment: WatchesTestEnvironment;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
});

beforeEach(async () => {
  await environment.query('DELETE FROM userctx.location_point');
});

afterAll(() => environment.close());

/** Runs partition maintenance at `now`: it creates partitions for 3 days ahead and drops them after 2 days. */
const maintain = (now: number) => {
  const address = { url: environment.testDatabase.migrationUrl, variableName: 'MIGRATION_DATABASE_URL' };
  return maintainLocationPartitions(address, { now, daysAhead: 3, retentionDays: 2 });
};

function storePoint(positionTime: number, receivedAt = positionTime): Promise<unknown> {
  return environment.query(
    `INSERT INTO userctx.location_point
       (did, position_time, point_type, cid, latitude, longitude, radius, flags, received_at)
     VALUES (1, $1, 1, $2, 31.2304, 121.4737, 10, 0, $3)`,
    [positionTime, CID, receivedAt],
  );
}

async function partitionOf(positionTime: number): Promise<string | undefined> {
  const [row] = await environment.query<{ partition: string }>(
    'SELECT tableoid::regclass::text AS partition FROM userctx.location_point WHERE position_time = $1',
    [positionTime],
  );
  return row?.partition;
}

/** Returns the names of the partitions without their common prefix: a day per partition, and `default`. */
async function listPartitions(): Promise<string[]> {
  const rows = await environment.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE inhparent = 'userctx.location_point'::regclass ORDER BY 1`,
  );
  return rows.map(({ name }) => name.replace('location_point_', ''));
}

test('partition maintenance creates a partition per day, fills it from the default partition and drops old ones', async () => {
  const [today, longAgo, wrongClock] = [NOW, NOW - 40 * DAY_MS, NOW + 4_000 * DAY_MS];
  await storePoint(today);
  await storePoint(longAgo);
  await storePoint(wrongClock, NOW);
  expect(await partitionOf(today)).toBe('userctx.location_point_default');

  await Promise.all([maintain(NOW), maintain(NOW)]);
  expect(await listPartitions()).toEqual([
    '2026_03_08',
    '2026_03_09',
    '2026_03_10',
    '2026_03_11',
    '2026_03_12',
    '2026_03_13',
    'default',
  ]);
  expect(await partitionOf(today)).toBe('userctx.location_point_2026_03_10');
  expect(await partitionOf(longAgo)).toBeUndefined();
  expect(await partitionOf(wrongClock)).toBe('userctx.location_point_default');

  await maintain(NOW + 2 * DAY_MS);
  expect(await partitionOf(today)).toBe('userctx.location_point_2026_03_10');
  expect(await partitionOf(wrongClock)).toBe('userctx.location_point_default');
  await maintain(NOW + 3 * DAY_MS);
  expect(await partitionOf(today)).toBeUndefined();
  expect(await partitionOf(wrongClock)).toBeUndefined();
  expect(await listPartitions()).toContain('2026_03_16');
  expect(await listPartitions()).not.toContain('2026_03_10');
});

test('partition maintenance changes nothing while a backup reads the partitions', async () => {
  const address = { url: environment.testDatabase.migrationUrl, variableName: 'MIGRATION_DATABASE_URL' };
  const before = await listPartitions();
  const backup = await openDedicatedConnection(address, 'backup');
  await holdLocationPartitions(backup);
  await maintain(NOW + 4 * DAY_MS);
  expect(await listPartitions()).toEqual(before);
  await backup.end();
  await maintain(NOW + 4 * DAY_MS);
  expect(await listPartitions()).not.toEqual(before);
});

test('partition maintenance fails with the privileges of the run-time database role', async () => {
  const address = { url: environment.testDatabase.url, variableName: 'DATABASE_URL' };
  await expect(maintainLocationPartitions(address, { now: NOW + 50 * DAY_MS })).rejects.toThrow(
    /must be owner|permission denied/,
  );
});

test('the partitioned table rejects a duplicate point', async () => {
  await maintain(NOW + 3 * DAY_MS);
  await storePoint(NOW + 3 * DAY_MS);
  await expect(storePoint(NOW + 3 * DAY_MS)).rejects.toThrow(/duplicate key/);
});

test('partition maintenance starts although its first run fails, and its next run creates the partitions', async () => {
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '_');
  const owner = {
    url: `${environment.testDatabase.migrationUrl}-that-is-not-there`,
    variableName: 'MIGRATION_DATABASE_URL',
  };
  const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const maintenance = await startOwnerJobs(owner, new Environment());
  expect(warnings).toHaveBeenCalled();
  expect(await listPartitions()).not.toContain(today);
  owner.url = environment.testDatabase.migrationUrl;
  maintenance.get(JobScheduler, { strict: false }).trigger(LOCATION_PARTITIONS_JOB);
  await waitUntil('the partition of today', async () => (await listPartitions()).includes(today));
  await maintenance.close();
});

test('location points and audit entries are deleted after the configured periods', async () => {
  const address = { url: environment.testDatabase.migrationUrl, variableName: 'MIGRATION_DATABASE_URL' };
  const jobs = new OwnerJobs(address, { RETENTION_LOCATION_DAYS: 3, RETENTION_AUDIT_DAYS: 400, NATS_PREFIX: 'fw' });
  await jobs.maintainPartitions(NOW);
  await storePoint(NOW);
  const addEntry = (time: number) =>
    environment.query(
      `INSERT INTO userctx.operator_audit_entry (entry_id, time, actor, operation, fields, admitted)
       VALUES (gen_random_uuid(), $1, 'suite', 'x', '{}', true)`,
      [time],
    );
  for (const days of [0, 1]) await addEntry(NOW + days * DAY_MS);
  const countPoints = async () => (await environment.query('SELECT FROM userctx.location_point')).length;
  const countEntries = async () =>
    (await environment.query(`SELECT FROM userctx.operator_audit_entry WHERE actor = 'suite'`)).length;
  await jobs.maintainPartitions(NOW + 3 * DAY_MS);
  await jobs.deleteOldAuditEntries(NOW + 400 * DAY_MS);
  expect([await countPoints(), await countEntries()]).toEqual([1, 2]);
  await jobs.maintainPartitions(NOW + 4 * DAY_MS);
  await jobs.deleteOldAuditEntries(NOW + 400 * DAY_MS + 1);
  expect([await countPoints(), await countEntries()]).toEqual([0, 1]);
});
