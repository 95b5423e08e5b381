import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Live tracking independent of the parents' settings. FOLLOW is always temporary. */
export class Following1790000000150 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table userctx.device_settings drop constraint device_settings_follow_check, drop column follow_until',
    );
  }
}

const STATEMENTS = [
  `update userctx.device_settings set location_mode = 'NORMAL' where location_mode = 'FOLLOW'`,
  `alter table userctx.device_settings
    add column follow_until bigint,
    add constraint device_settings_follow_check check (location_mode <> 'FOLLOW')`,
];
