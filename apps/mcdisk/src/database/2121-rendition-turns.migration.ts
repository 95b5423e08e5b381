import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `ALTER TABLE mcdisk.rendition ADD COLUMN cloud_id text`,
  `UPDATE mcdisk.rendition r SET cloud_id = s.cloud_id FROM mcdisk.blob s WHERE s.blob_key = r.source_key`,
  `ALTER TABLE mcdisk.rendition ALTER COLUMN cloud_id SET NOT NULL`,
  `CREATE INDEX rendition_turn ON mcdisk.rendition (cloud_id, due_at) WHERE state = 'WAITING'`,
  // This index contains the renditions that a caller waits for.
  `CREATE INDEX rendition_turn_at_once ON mcdisk.rendition (cloud_id) WHERE state = 'WAITING' AND due_at = 0`,
];

/** An index by which renditions are generated for clouds in turn. */
export class RenditionTurns1790000002121 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE mcdisk.rendition DROP COLUMN cloud_id`);
  }
}
