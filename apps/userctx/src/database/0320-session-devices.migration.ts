import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The device of each session, by which a person recognises it. */
export class SessionDevices1790000000320 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.session ADD device_name text, ADD network text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.session DROP device_name, DROP network');
  }
}
