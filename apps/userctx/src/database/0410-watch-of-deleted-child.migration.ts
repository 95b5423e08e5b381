import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The watch that a deleted child had, to which the child is bound again when it is restored. */
export class WatchOfDeletedChild1790000000410 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.child ADD COLUMN did_at_deletion bigint');
    await runner.query(
      'CREATE INDEX child_did_at_deletion ON userctx.child (did_at_deletion) WHERE did_at_deletion IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.child DROP COLUMN did_at_deletion');
  }
}
