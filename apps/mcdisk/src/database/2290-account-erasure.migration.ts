import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accountErasureSchemaSql } from '@family-watch/platform/erasure/account-erasure-schema';

/** Erasures of accounts that are in progress. */
export class AccountErasure1790000002290 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of accountErasureSchemaSql('mcdisk')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mcdisk.account_erasure');
  }
}
