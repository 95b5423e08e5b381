import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Retry counter and delay of failed blob deletions. */
export class RefusedRemovals1790000002122 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE mcdisk.blob ADD COLUMN removals smallint NOT NULL DEFAULT 0,
      ADD COLUMN removal_after bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE mcdisk.blob DROP COLUMN removal_after, DROP COLUMN removals`);
  }
}
