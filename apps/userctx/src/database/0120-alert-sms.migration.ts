import type { MigrationInterface, QueryRunner } from 'typeorm';

/** SMS for urgent alerts that no app has received. */
export class AlertSms1790000000120 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // A row without `due_at` belongs to an SMS that was sent or abandoned.
    await queryRunner.query(`
      CREATE TABLE userctx.alert_sms (
        user_id uuid NOT NULL,
        message_id uuid NOT NULL,
        category text NOT NULL,
        time bigint NOT NULL,
        due_at bigint,
        attempts smallint NOT NULL DEFAULT 0,
        CONSTRAINT pk_alert_sms PRIMARY KEY (user_id, message_id)
      )`);
    await queryRunner.query('CREATE INDEX ix_alert_sms_due ON userctx.alert_sms (due_at) WHERE due_at IS NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE userctx.alert_sms');
  }
}
