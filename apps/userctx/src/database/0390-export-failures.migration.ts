import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why an export failed, and when mcdisk reported about it. */
export class ExportFailures1790000000390 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.data_export ADD COLUMN failure_reason text');
    await runner.query('ALTER TABLE userctx.data_export ADD COLUMN reported_at bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.data_export DROP COLUMN reported_at');
    await runner.query('ALTER TABLE userctx.data_export DROP COLUMN failure_reason');
  }
}
