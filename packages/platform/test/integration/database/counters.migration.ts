import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates a table for the suites of this directory. */
export class CreateCounters1767225600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE alpha.counter (id text PRIMARY KEY, value bigint NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE alpha.counter');
  }
}
