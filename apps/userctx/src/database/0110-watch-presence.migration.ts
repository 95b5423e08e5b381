import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Online state of each watch as last reported by the gateway; null before the first report. */
export class WatchPresence1790000000110 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table userctx.watch_status add column online boolean, add column presence_at bigint',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table userctx.watch_status drop column presence_at, drop column online');
  }
}
