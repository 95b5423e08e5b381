import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for the projection of families and for the latest location of each child. */
export class Families1790000001030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE gateway.family (
        family_id text NOT NULL,
        version bigint NOT NULL,
        snapshot json NOT NULL,
        changed_at bigint NOT NULL,
        CONSTRAINT pk_family PRIMARY KEY (family_id)
      )`);
    await queryRunner.query('CREATE INDEX ix_family_changed ON gateway.family (changed_at)');
    await queryRunner.query(`
      CREATE TABLE gateway.family_principal (
        family_id text NOT NULL,
        principal text NOT NULL,
        CONSTRAINT pk_family_principal PRIMARY KEY (family_id, principal),
        CONSTRAINT fk_family_principal_family FOREIGN KEY (family_id) REFERENCES gateway.family (family_id)
      )`);
    await queryRunner.query('CREATE INDEX ix_family_principal_principal ON gateway.family_principal (principal)');
    await queryRunner.query(`
      CREATE TABLE gateway.child_position (
        cid text NOT NULL,
        family_id text NOT NULL,
        did bigint NOT NULL,
        message_id uuid NOT NULL,
        time bigint NOT NULL,
        location json NOT NULL,
        CONSTRAINT pk_child_position PRIMARY KEY (cid)
      ) WITH (fillfactor = 70)`);
    await queryRunner.query('CREATE INDEX ix_child_position_family ON gateway.child_position (family_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE gateway.child_position, gateway.family_principal, gateway.family');
  }
}
