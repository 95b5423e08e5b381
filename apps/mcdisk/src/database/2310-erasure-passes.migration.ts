import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  accountErasurePassesSql,
  dropAccountErasurePassesSql,
} from '@family-watch/platform/erasure/account-erasure-schema';

/** Indexes with which an erasure finds the rows of a person or a cloud, and the pauses of erasures. */
export class ErasurePasses1790000002310 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [accountErasurePassesSql('mcdisk'), ...INDEXES]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of [
      'mcdisk.upload_principal',
      'mcdisk.batch_task_principal',
      'mcdisk.catalog_creator',
      'mcdisk.album_creator',
      'mcdisk.rendition_cloud',
    ])
      await runner.query(`DROP INDEX ${name}`);
    await runner.query(dropAccountErasurePassesSql('mcdisk'));
  }
}

const INDEXES = [
  `CREATE INDEX IF NOT EXISTS upload_principal ON mcdisk.upload (principal)`,
  `CREATE INDEX IF NOT EXISTS batch_task_principal ON mcdisk.batch_task (principal)`,
  `CREATE INDEX IF NOT EXISTS catalog_creator ON mcdisk.catalog (created_by)`,
  `CREATE INDEX IF NOT EXISTS album_creator ON mcdisk.album (created_by)`,
  `CREATE INDEX IF NOT EXISTS rendition_cloud ON mcdisk.rendition (cloud_id)`,
];
