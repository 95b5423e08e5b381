import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of video calls, which is also the call log, and an index of call signals by expiry. */
export class VideoCalls1790000001060 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE gateway.video_call (
        call_id uuid NOT NULL,
        family_id text NOT NULL,
        cid text NOT NULL,
        did bigint NOT NULL,
        user_id text NOT NULL,
        direction text NOT NULL,
        caller_session text NOT NULL,
        accepted_session text,
        provider text NOT NULL,
        state text NOT NULL,
        created_at bigint NOT NULL,
        accepted_at bigint,
        ended_at bigint,
        due_at bigint,
        checked_at bigint NOT NULL,
        absent_since bigint,
        revision integer NOT NULL,
        signals integer NOT NULL,
        CONSTRAINT pk_video_call PRIMARY KEY (call_id),
        CONSTRAINT ck_video_call_due CHECK ((due_at IS NOT NULL) = (state IN ('RINGING', 'ACCEPTED')))
      ) WITH (fillfactor = 70)`);
    // A watch and a user can each have one live call: a second call conflicts with the existing row and becomes BUSY.
    await queryRunner.query(
      'CREATE UNIQUE INDEX uq_video_call_live_watch ON gateway.video_call (did) WHERE due_at IS NOT NULL',
    );
    await queryRunner.query(
      'CREATE UNIQUE INDEX uq_video_call_live_user ON gateway.video_call (user_id) WHERE due_at IS NOT NULL',
    );
    await queryRunner.query('CREATE INDEX ix_video_call_due ON gateway.video_call (due_at) WHERE due_at IS NOT NULL');
    await queryRunner.query(
      'CREATE INDEX ix_video_call_check ON gateway.video_call (checked_at) WHERE due_at IS NOT NULL',
    );
    await queryRunner.query(
      'CREATE INDEX ix_video_call_user ON gateway.video_call (user_id, created_at DESC, call_id DESC)',
    );
    await queryRunner.query(
      'CREATE INDEX ix_video_call_child ON gateway.video_call (family_id, cid, created_at DESC, call_id DESC)',
    );
    await queryRunner.query('CREATE INDEX ix_video_call_age ON gateway.video_call (created_at)');
    await queryRunner.query(`
      CREATE INDEX ix_mailbox_message_signal ON gateway.mailbox_message (expires_at)
        WHERE kind IN ('VideoCallInNoticeMessage', 'VideoCallOutNoticeMessage')
          AND (payload -> 'signal') IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX gateway.ix_mailbox_message_signal');
    await queryRunner.query('DROP TABLE gateway.video_call');
  }
}
