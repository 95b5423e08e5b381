import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores which version of a friendship was published last, so that projections can be compared with it. */
export class PublishedFriendships1790000000220 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table userctx.friendship add column published_version integer not null default 0');
    // Friends and former friends were published. If a later request has increased the version since, the comparison
    // repairs their projections once without an effect.
    await queryRunner.query(
      `update userctx.friendship set published_version = version where state in ('ACCEPTED', 'ENDED')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table userctx.friendship drop column published_version');
  }
}
