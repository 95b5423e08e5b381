import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores the releases of the app for parents. */
export class AppReleases1790000000290 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table userctx.app_release (
        platform text not null,
        channel text not null,
        version text not null,
        minimum_version text,
        percentage integer not null,
        notes jsonb not null,
        url text not null,
        package_sha256 text,
        package_bytes bigint,
        created_at bigint not null,
        changed_at bigint not null,
        withdrawn_at bigint,
        constraint app_release_pkey primary key (platform, channel, version),
        constraint app_release_percentage_check check (percentage between 0 and 100),
        constraint app_release_package_check check ((package_sha256 is null) = (package_bytes is null))
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table userctx.app_release');
  }
}
