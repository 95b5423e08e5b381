import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replacedTimeZonesSql } from '@family-watch/platform/database/replaced-time-zones';

/** Replaces names that are no longer accepted as time zones in quiet hours. */
export class TimeZones1790000001190 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      UPDATE gateway.center_reader
      SET subscription = jsonb_set(subscription, '{quietHours,timeZone}', to_jsonb(replaced.zone))
      FROM ${replacedTimeZonesSql()}
      WHERE upper(subscription -> 'quietHours' ->> 'timeZone') = replaced.name`);
  }

  async down(): Promise<void> {
    // Earlier builds accept the new names as well.
  }
}
