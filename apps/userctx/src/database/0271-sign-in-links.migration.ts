import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores sign-in links, which `npm run account:create` prints. */
export class SignInLinks1790000000271 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table userctx.sign_in_link (
        token_hash bytea not null,
        user_id uuid not null,
        credential_version integer not null,
        created_at bigint not null,
        expires_at bigint not null,
        constraint sign_in_link_pkey primary key (token_hash),
        constraint sign_in_link_account foreign key (user_id) references userctx.account on delete cascade
      )`);
    await runner.query('create index sign_in_link_of_account on userctx.sign_in_link (user_id)');
    await runner.query('create index sign_in_link_expiry on userctx.sign_in_link (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.sign_in_link');
  }
}
