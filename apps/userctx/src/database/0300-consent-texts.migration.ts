import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores to which version of the texts a person consented. Consents of earlier builds are to the first version. */
export class ConsentTexts1790000000300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table userctx.consent add column text_version integer not null default 1');
    await runner.query('alter table userctx.consent_change add column text_version integer not null default 1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table userctx.consent_change drop column text_version');
    await runner.query('alter table userctx.consent drop column text_version');
  }
}
