import { eventBusSchemaSql } from '@family-watch/event-bus/event-bus-schema';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Outbox, relay and inbox of mcdisk. */
export class EventBus1790000002010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of eventBusSchemaSql('mcdisk')) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE mcdisk.dead_letter, mcdisk.parked, mcdisk.inbox, mcdisk.relay, mcdisk.outbox');
  }
}
