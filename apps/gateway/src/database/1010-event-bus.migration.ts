import { eventBusSchemaSql } from '@family-watch/event-bus/event-bus-schema';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the outbox, relay and inbox tables. */
export class EventBus1790000001010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of eventBusSchemaSql('gateway')) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'DROP TABLE gateway.dead_letter, gateway.parked, gateway.inbox, gateway.relay, gateway.outbox',
    );
  }
}
