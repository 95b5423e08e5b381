import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes the projected contents by family, for their comparison with mcdisk. */
export class CloudContentFamily1790000001120 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX ix_cloud_content_family ON gateway.cloud_content (family_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX gateway.ix_cloud_content_family');
  }
}
