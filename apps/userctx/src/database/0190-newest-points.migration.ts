import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where the track of a child ends, beside its last location: what lies behind can be neither a repetition nor out of
 * order. Unix milliseconds; unknown (null) is looked up in the track.
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
