import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Communication rules of each child as last published. */
export class ChildRules1790000000180 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // A row without `rules` means that no rules were published yet.
    await queryRunner.query(`
      CREATE TABLE userctx.child_rules (
        cid uuid NOT NULL,
        family_id uuid NOT NULL,
        version integer NOT NULL DEFAULT 0,
        rules json,
        CONSTRAINT pk_child_rules PRIMARY KEY (cid)
      )`);
    await queryRunner.query('CREATE INDEX ix_child_rules_untold ON userctx.child_rules (cid) WHERE rules IS NULL');
    // Adds the existing children, because no event will trigger the publication of their rules.
    await queryRunner.query(
      'INSERT INTO userctx.child_rules (cid, family_id) SELECT cid, family_id FROM userctx.family_child',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE userctx.child_rules');
  }
}
