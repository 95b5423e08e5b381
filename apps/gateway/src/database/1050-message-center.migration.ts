import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the tables of the message centre: messages per user, subscriptions, and urgent alerts that no device has
 * received yet.
 */
export class MessageCenter1790000001050 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // The rows of this table are also locked while a user's messages and unread count change.
    await queryRunner.query(`
      CREATE TABLE gateway.center_reader (
        user_id text NOT NULL,
        subscription jsonb,
        CONSTRAINT pk_center_reader PRIMARY KEY (user_id)
      )`);
    await queryRunner.query(`
      CREATE TABLE gateway.center_message (
        user_id text NOT NULL,
        message_id uuid NOT NULL,
        category text NOT NULL,
        severity text NOT NULL,
        type text NOT NULL,
        params json NOT NULL,
        family_id text,
        cid text,
        did bigint,
        audience text NOT NULL,
        time bigint NOT NULL,
        read boolean NOT NULL DEFAULT false,
        CONSTRAINT pk_center_message PRIMARY KEY (user_id, message_id)
      )`);
    await queryRunner.query(
      'CREATE INDEX ix_center_message_time ON gateway.center_message (user_id, time DESC, message_id DESC)',
    );
    await queryRunner.query('CREATE INDEX ix_center_message_unread ON gateway.center_message (user_id) WHERE NOT read');
    await queryRunner.query('CREATE INDEX ix_center_message_family ON gateway.center_message (family_id, cid)');
    await queryRunner.query('CREATE INDEX ix_center_message_age ON gateway.center_message (time)');
    await this.createWhatIsToldApart(queryRunner);
    await queryRunner.query(`
      CREATE TABLE gateway.alert (
        user_id text NOT NULL,
        message_id uuid NOT NULL,
        notice_id uuid NOT NULL,
        family_id text NOT NULL,
        cid text NOT NULL,
        category text NOT NULL,
        audience text NOT NULL,
        about text,
        time bigint NOT NULL,
        due_at bigint NOT NULL,
        pushed boolean NOT NULL DEFAULT false,
        CONSTRAINT pk_alert PRIMARY KEY (user_id, message_id)
      )`);
    await queryRunner.query('CREATE INDEX ix_alert_due ON gateway.alert (due_at)');
    await queryRunner.query('CREATE INDEX ix_alert_about ON gateway.alert (about)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `DROP TABLE gateway.alert, gateway.watch_battery, gateway.center_family, gateway.center_message,
         gateway.center_reader`,
    );
  }

  /** Creates the tables with the state that was last published, so that only changes of it are published. */
  private async createWhatIsToldApart(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE gateway.watch_battery (
        did bigint NOT NULL,
        told smallint NOT NULL,
        CONSTRAINT pk_watch_battery PRIMARY KEY (did)
      )`);
    await queryRunner.query(`
      CREATE TABLE gateway.center_family (
        family_id text NOT NULL,
        version bigint NOT NULL,
        members text[] NOT NULL,
        CONSTRAINT pk_center_family PRIMARY KEY (family_id)
      )`);
  }
}
