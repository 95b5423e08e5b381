import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ends the rooms of calls on the media server. */
export class CallMedia1790000001200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE gateway.video_call ADD COLUMN media_end_due_at bigint, ADD COLUMN media_found_at bigint',
    );
    await runner.query(
      'CREATE INDEX ix_video_call_media ON gateway.video_call (media_end_due_at) WHERE media_end_due_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE gateway.video_call DROP COLUMN media_end_due_at, DROP COLUMN media_found_at');
  }
}
