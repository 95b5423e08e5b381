import { deadLetterRecoverySql, dropDeadLetterRecoverySql } from '@family-watch/event-bus/event-bus-schema';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Lets dead letters contain messages that are no events, indexes dead letters by key, and indexes unpublished
 * snapshots, which the other apps query every second.
 */
export class DeadLetterRecovery1790000000210 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of deadLetterRecoverySql('userctx')) await queryRunner.query(statement);
    await queryRunner.query(
      `create index outbox_unconfirmed_name on userctx.outbox (name) where confirmed_at is null
         and name in ('userctx.family.changed', 'userctx.friendship.changed', 'userctx.child-rules.changed')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index userctx.outbox_unconfirmed_name');
    for (const statement of dropDeadLetterRecoverySql('userctx')) await queryRunner.query(statement);
  }
}
