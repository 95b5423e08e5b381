import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `ALTER TABLE mcdisk.family_cloud ADD content_count integer NOT NULL DEFAULT 0
     CONSTRAINT family_cloud_content_count CHECK (content_count >= 0)`,
  `UPDATE mcdisk.family_cloud f
      SET content_count =
            (SELECT count(*) FROM mcdisk.content WHERE cloud_id = f.cloud_id AND state <> 'PURGED')
            + (SELECT count(*) FROM mcdisk.upload WHERE cloud_id = f.cloud_id AND state IN ('PENDING', 'RECEIVING'))`,
];

/** A stored count of contents per cloud. */
export class ContentCount1790000002140 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE mcdisk.family_cloud DROP content_count');
  }
}
