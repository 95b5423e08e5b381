import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  accountErasurePassesSql,
  dropAccountErasurePassesSql,
} from '@family-watch/platform/erasure/account-erasure-schema';

/** Indexes with which an erasure finds the alerts of a family and a job old voice messages, and the pauses of erasures. */
export class ErasurePasses1790000001160 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [accountErasurePassesSql('gateway'), ...INDEXES]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['gateway.ix_alert_family', 'gateway.ix_mailbox_message_voice'])
      await runner.query(`DROP INDEX ${name}`);
    await runner.query(dropAccountErasurePassesSql('gateway'));
  }
}

const INDEXES = [
  `CREATE INDEX IF NOT EXISTS ix_alert_family ON gateway.alert (family_id)`,
  `CREATE INDEX IF NOT EXISTS ix_mailbox_message_voice ON gateway.mailbox_message (time)
    WHERE kind = 'ChatVoiceMessage' AND expires_at IS DISTINCT FROM 0`,
];
