import { Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setUpNats } from '@family-watch/event-bus/set-up-nats';
import type { Environment } from '@family-watch/platform/config/environment';
import { openDedicatedConnection, type DatabaseAddress } from '@family-watch/platform/database/connection';
import { JobsModule } from '@family-watch/platform/jobs/job-scheduler';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { maintainLocationPartitions } from './location-partitions.js';

const DAY_MS = 86_400_000;

/** Milliseconds between two runs. Partitions are created seven days ahead, so that a few runs may fail. */
const MAINTENANCE_INTERVAL_MS = 6 * 3_600_000;
const AUDIT_BATCH_SIZE = 5_000;

/** Name of the job that maintains the partitions at start and periodically. */
export const LOCATION_PARTITIONS_JOB = 'userctx.locations.maintain-partitions';

/** Milliseconds until streams that NATS has lost exist again, where the apps may not create them. */
const NATS_SETUP_INTERVAL_MS = 10_000;

/**
 * How long the data is retained that only the schema's owner can delete, and the NATS user that may create streams; the
 * apps create them if NATS_URL is absent.
 */
export type OwnerSettings = Pick<
  Environment,
  'RETENTION_LOCATION_DAYS' | 'RETENTION_AUDIT_DAYS' | 'NATS_URL' | 'NATS_PREFIX'
>;

/** Jobs that need the privileges of the owner of userctx's schema, or of the NATS user that may create streams. */
export class OwnerJobs {
  constructor(
    private readonly owner: DatabaseAddress,
    private readonly settings: OwnerSettings,
  ) {}

  /** The migrations have created streams and consumers; this job creates them again after NATS has lost its data. */
  @OnJob('userctx.nats.set-up', { intervalMs: NATS_SETUP_INTERVAL_MS })
  async setUpNats(): Promise<void> {
    const { NATS_URL: url, NATS_PREFIX: prefix } = this.settings;
    if (url !== undefined) await setUpNats(url, prefix);
  }

  /** If no run succeeds for days, the default partition receives the points of days that have no partition. */
  @OnJob(LOCATION_PARTITIONS_JOB, { intervalMs: MAINTENANCE_INTERVAL_MS, firstRun: 'before start' })
  async maintainPartitions(now: number): Promise<void> {
    await maintainLocationPartitions(this.owner, { now, retentionDays: this.settings.RETENTION_LOCATION_DAYS });
  }

  /** Deletes old entries of the audit list, which the run-time role cannot change. */
  @OnJob('userctx.operators.delete-old-audit-entries', { intervalMs: MAINTENANCE_INTERVAL_MS, firstRun: 'at start' })
  async deleteOldAuditEntries(now: number): Promise<void> {
    const before = now - this.settings.RETENTION_AUDIT_DAYS * DAY_MS;
    const connection = await openDedicatedConnection(this.owner, 'family-watch:userctx:audit');
    try {
      let deleted: number | null;
      do {
        ({ rowCount: deleted } = await connection.query(
          `delete from userctx.operator_audit_entry where entry_id in (
             select entry_id from userctx.operator_audit_entry where time < $1 order by time limit $2)`,
          [before, AUDIT_BATCH_SIZE],
        ));
      } while (deleted === AUDIT_BATCH_SIZE);
    } finally {
      await connection.end();
    }
  }
}

/**
 * Runs the jobs of the schema's owner until the returned context is closed. The standalone server and the maintenance
 * process call this function: they have the connection of the schema's owner, whose privileges the other processes lack.
 * Resolves after the first maintenance of the partitions.
 *
 * @param owner - connection of the schema's owner, MIGRATION_DATABASE_URL
 */
export function startOwnerJobs(owner: DatabaseAddress, settings: OwnerSettings): Promise<INestApplicationContext> {
  const jobs = { provide: OwnerJobs, useValue: new OwnerJobs(owner, settings) };
  const module = { module: OwnerJobsModule, imports: [JobsModule], providers: [jobs] };
  return NestFactory.createApplicationContext(module, { abortOnError: false });
}

@Module({})
class OwnerJobsModule {}
