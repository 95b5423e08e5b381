import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accountErasureSchemaSql } from '@family-watch/platform/erasure/account-erasure-schema';

/** Erasures of accounts that are in progress. */
export class AccountErasure1790000001140 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of accountErasureSchemaSql('gateway')) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE gateway.account_erasure');
  }
}
