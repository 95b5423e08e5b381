import { eventBusSchemaSql } from '@family-watch/event-bus/event-bus-schema';
import { idempotencySchemaSql } from '@family-watch/platform/idempotency/idempotency-schema';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Event bus tables of userctx, and the idempotency keys of its create operations. */
export class EventBus1790000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of eventBusSchemaSql('userctx')) await queryRunner.query(statement);
    await queryRunner.query(idempotencySchemaSql('userctx'));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE userctx.idempotency_key');
    await queryRunner.query(
      'DROP TABLE userctx.dead_letter, userctx.parked, userctx.inbox, userctx.relay, userctx.outbox',
    );
  }
}
