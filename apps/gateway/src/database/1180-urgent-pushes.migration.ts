import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the index with which urgent notifications are found although many others are due. */
export class UrgentPushes1790000001180 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'CREATE INDEX IF NOT EXISTS ix_push_request_urgent ON gateway.push_request (due_at) WHERE urgent',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX gateway.ix_push_request_urgent');
  }
}
