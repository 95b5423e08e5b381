import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Consents of users and their changes. Times are Unix milliseconds. */
export class Consents1790000000160 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.consent_change');
    await runner.query('drop table userctx.consent');
  }
}

const STATEMENTS = [
  // Version 0: the person was never asked, so the consent is not granted. Transactions that rely on a consent lock its
  // row, so that a withdrawal waits.
  `create table userctx.consent (
    user_id uuid not null,
    purpose text not null,
    granted boolean not null,
    version integer not null,
    changed_at bigint,
    constraint consent_pk primary key (user_id, purpose),
    constraint consent_account foreign key (user_id) references userctx.account (user_id) on delete cascade,
    constraint consent_never_asked check ((version = 0) = (changed_at is null) and (version > 0 or not granted))
  )`,
  `create table userctx.consent_change (
    user_id uuid not null,
    purpose text not null,
    version integer not null,
    granted boolean not null,
    time bigint not null,
    constraint consent_change_pk primary key (user_id, purpose, version),
    constraint consent_change_consent foreign key (user_id, purpose)
      references userctx.consent (user_id, purpose) on delete cascade
  )`,
];
