import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The version of the paid entitlements that a cloud's quota contains. The previous build ignores the column. */
export class CloudEntitlements1790000002250 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mcdisk.family_cloud ADD entitlement_version bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mcdisk.family_cloud DROP entitlement_version');
  }
}
