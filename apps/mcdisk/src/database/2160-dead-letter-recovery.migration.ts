import { deadLetterRecoverySql, dropDeadLetterRecoverySql } from '@family-watch/event-bus/event-bus-schema';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets dead letters contain messages that are no events, and indexes dead letters by key. */
export class DeadLetterRecovery1790000002160 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of deadLetterRecoverySql('mcdisk')) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of dropDeadLetterRecoverySql('mcdisk')) await queryRunner.query(statement);
  }
}
