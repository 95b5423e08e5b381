import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accountErasureSchemaSql } from '@family-watch/platform/erasure/account-erasure-schema';

/** Deletions of accounts with their receipts, and erasures in progress. Times are Unix milliseconds. */
export class AccountDeletion1790000000310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...STATEMENTS, ...accountErasureSchemaSql('userctx')]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.account_erasure');
    await runner.query('drop table userctx.account_deletion');
  }
}

const STATEMENTS = [
  // A receipt is kept without limit: the person may need it years later, and it contains nothing about anybody.
  `create table userctx.account_deletion (
    receipt_id uuid constraint account_deletion_pkey primary key,
    user_id uuid,
    state text not null,
    requested_at bigint not null,
    erase_at bigint not null,
    erased_at bigint,
    completed_at bigint,
    due_at bigint,
    subjects jsonb,
    confirmations jsonb not null default '{}',
    digest text,
    constraint account_deletion_receipt check ((state = 'COMPLETED') = (digest is not null)),
    constraint account_deletion_anonymous check (state <> 'COMPLETED' or (user_id is null and subjects is null))
  )`,
  'create unique index account_deletion_of_account on userctx.account_deletion (user_id) where user_id is not null',
  'create index account_deletion_due on userctx.account_deletion (due_at) where due_at is not null',
];
