import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds watches by their IMEI, for operators. */
export class WatchImei1790000000261 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX watch_imei ON userctx.watch (imei)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX userctx.watch_imei');
  }
}
