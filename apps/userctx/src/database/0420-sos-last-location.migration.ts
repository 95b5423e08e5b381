import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Marks an SOS whose location is the child's last location. */
export class SosLastLocation1790000000420 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.sos ADD COLUMN is_last_location boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.sos DROP COLUMN is_last_location');
  }
}
