import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replacedTimeZonesSql } from '@family-watch/platform/database/replaced-time-zones';

/** Replaces names that are no longer accepted as time zones, and publishes the rules of the children again. */
export class TimeZones1790000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['userctx.account', 'userctx.child'])
      await runner.query(`
        update ${table} set time_zone = replaced.zone from ${replacedTimeZonesSql()}
        where upper(time_zone) = replaced.name`);
    // A job publishes the rules of children for which none are stored.
    await runner.query(`
      update userctx.child_rules set rules = null from ${replacedTimeZonesSql()}
      where upper(rules ->> 'timeZone') = replaced.name`);
  }

  async down(): Promise<void> {
    // Earlier builds accept the new names as well.
  }
}
