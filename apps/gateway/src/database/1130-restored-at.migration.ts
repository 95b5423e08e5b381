import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the time of the last restore, before which messages cause no push notifications. */
export class RestoredAt1790000001130 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE gateway.epoch ADD COLUMN restored_at bigint');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE gateway.epoch DROP COLUMN restored_at');
  }
}
