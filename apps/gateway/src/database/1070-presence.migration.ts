import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for nodes, their connections, and the liveness of watches. Times are Unix milliseconds. */
export class Presence1790000001070 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // beat_at uses the database's clock, because nodes are compared with each other. Other times use the nodes' clocks.
    await queryRunner.query(`
      CREATE TABLE gateway.node (
        node_id uuid NOT NULL,
        beat_at bigint NOT NULL,
        listening_since bigint NOT NULL,
        CONSTRAINT pk_node PRIMARY KEY (node_id)
      ) WITH (fillfactor = 50)`);
    await queryRunner.query(`
      CREATE TABLE gateway.connection (
        connection_id text NOT NULL,
        principal text NOT NULL,
        session text NOT NULL,
        node_id uuid NOT NULL,
        opened_at bigint NOT NULL,
        CONSTRAINT pk_connection PRIMARY KEY (connection_id)
      )`);
    await queryRunner.query('CREATE INDEX ix_connection_principal ON gateway.connection (principal)');
    await queryRunner.query('CREATE INDEX ix_connection_node ON gateway.connection (node_id)');
    // A heartbeat updates heard_at but not due_at, which is indexed, so PostgreSQL can update the row in its page
    // (HOT).
    await queryRunner.query(`
      CREATE TABLE gateway.watch_presence (
        principal text NOT NULL,
        online boolean NOT NULL,
        settled boolean NOT NULL,
        heard_at bigint NOT NULL,
        ended_at bigint,
        shut_down_at bigint,
        due_at bigint,
        CONSTRAINT pk_watch_presence PRIMARY KEY (principal)
      ) WITH (fillfactor = 70)`);
    await queryRunner.query(
      'CREATE INDEX ix_watch_presence_due ON gateway.watch_presence (due_at) WHERE due_at IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE gateway.watch_presence, gateway.connection, gateway.node');
  }
}
