import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replacedTimeZonesSql } from '@family-watch/platform/database/replaced-time-zones';

/** Replaces names that are no longer accepted as time zones in quiet hours. */
export class TimeZones1790000001190 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // Processes of the previous build accept these names until they are replaced.
    await queryRunner.query(`
      CREATE FUNCTION gateway.replace_time_zone() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.subscription := coalesce(
          (SELECT jsonb_set(NEW.subscription, '{quietHours,timeZone}', to_jsonb(replaced.zone))
           FROM ${replacedTimeZonesSql()}
           WHERE replaced.name = upper(NEW.subscription -> 'quietHours' ->> 'timeZone')),
          NEW.subscription);
        RETURN NEW;
      END $$`);
    await queryRunner.query(`
      CREATE TRIGGER replace_time_zone BEFORE INSERT OR UPDATE OF subscription ON gateway.center_reader
      FOR EACH ROW EXECUTE FUNCTION gateway.replace_time_zone()`);
    await queryRunner.query(`
      UPDATE gateway.center_reader
      SET subscription = jsonb_set(subscription, '{quietHours,timeZone}', to_jsonb(replaced.zone))
      FROM ${replacedTimeZonesSql()}
      WHERE upper(subscription -> 'quietHours' ->> 'timeZone') = replaced.name`);
  }

  /** Earlier builds accept the new names as well. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TRIGGER replace_time_zone ON gateway.center_reader');
    await queryRunner.query('DROP FUNCTION gateway.replace_time_zone()');
  }
}
