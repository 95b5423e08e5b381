import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * End of a child's track, stored with its last location. Points after the track end can be neither duplicates nor out
 * of order. Unix milliseconds; null means that the track end must be looked up in the track.
 */
export class NewestPoints1790000000190 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table userctx.child_location
      add column newest_time bigint,
      add column newest_credible_time bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table userctx.child_location drop column newest_time, drop column newest_credible_time');
  }
}
