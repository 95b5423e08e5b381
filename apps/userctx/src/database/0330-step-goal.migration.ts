import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The number of steps that a child should make in a day. */
export class StepGoal1790000000330 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.child ADD step_goal integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE userctx.child DROP step_goal');
  }
}
