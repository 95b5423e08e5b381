import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table for the projection of child rules. */
export class ChildRules1790000001090 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE gateway.child_rules (
        cid text NOT NULL,
        version integer NOT NULL,
        rules json NOT NULL,
        changed_at bigint NOT NULL,
        CONSTRAINT pk_child_rules PRIMARY KEY (cid)
      )`);
    await queryRunner.query('CREATE INDEX ix_child_rules_changed ON gateway.child_rules (changed_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE gateway.child_rules');
  }
}
