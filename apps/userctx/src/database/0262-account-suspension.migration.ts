import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores when an operator suspended an account. */
export class AccountSuspension1790000000262 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.account ADD COLUMN suspended_at bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.account DROP COLUMN suspended_at');
  }
}
