import type { MigrationInterface, QueryRunner } from 'typeorm';
import { replacedTimeZonesSql } from '@family-watch/platform/database/replaced-time-zones';

const TABLES = ['userctx.account', 'userctx.child'];

/** Replaces names that are no longer accepted as time zones, and publishes the rules of the children again. */
export class TimeZones1790000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Processes of the previous build accept these names until they are replaced.
    await runner.query(`
      create function userctx.replace_time_zone() returns trigger language plpgsql as $$
      begin
        new.time_zone := coalesce(
          (select replaced.zone from ${replacedTimeZonesSql()} where replaced.name = upper(new.time_zone)),
          new.time_zone);
        return new;
      end $$`);
    for (const table of TABLES) {
      await runner.query(`
        create trigger replace_time_zone before insert or update of time_zone on ${table}
        for each row execute function userctx.replace_time_zone()`);
      await runner.query(`
        update ${table} set time_zone = replaced.zone from ${replacedTimeZonesSql()}
        where upper(time_zone) = replaced.name`);
    }
    // A job publishes the rules of children for which none are stored.
    await runner.query(`
      update userctx.child_rules set rules = null from ${replacedTimeZonesSql()}
      where upper(rules ->> 'timeZone') = replaced.name`);
  }

  /** Earlier builds accept the new names as well. */
  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`drop trigger replace_time_zone on ${table}`);
    await runner.query('drop function userctx.replace_time_zone()');
  }
}
