import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `CREATE TABLE mcdisk.batch_task (
    task_id uuid CONSTRAINT batch_task_pkey PRIMARY KEY,
    cloud_id text NOT NULL CONSTRAINT batch_task_cloud_fkey REFERENCES mcdisk.family_cloud ON DELETE CASCADE,
    task_type smallint NOT NULL,
    state text NOT NULL CONSTRAINT batch_task_state CHECK (state IN ('WAITING', 'RUNNING', 'DONE', 'CANCELLED')),
    principal text NOT NULL,
    content_ids uuid[] NOT NULL,
    catalog_ids uuid[] NOT NULL,
    dest_catalog_id uuid,
    phase smallint,
    position integer NOT NULL,
    last_content_id uuid,
    stopped boolean NOT NULL,
    total integer NOT NULL,
    done integer NOT NULL,
    failed integer NOT NULL,
    failure_ids json NOT NULL,
    attempts smallint NOT NULL,
    turn_at bigint NOT NULL,
    told_at bigint,
    created_at bigint NOT NULL,
    finished_at bigint,
    CONSTRAINT batch_task_finished CHECK ((finished_at IS NOT NULL) = (state IN ('DONE', 'CANCELLED')))
  )`,
  `CREATE INDEX batch_task_turn ON mcdisk.batch_task (turn_at) WHERE finished_at IS NULL`,
  `CREATE INDEX batch_task_open ON mcdisk.batch_task (cloud_id) WHERE finished_at IS NULL`,
  `CREATE INDEX batch_task_over ON mcdisk.batch_task (finished_at) WHERE finished_at IS NOT NULL`,
  `CREATE TABLE mcdisk.batch_task_folder (
    task_id uuid CONSTRAINT batch_task_folder_task_fkey REFERENCES mcdisk.batch_task ON DELETE CASCADE,
    position integer,
    catalog_id uuid NOT NULL,
    parent_position integer,
    target_id uuid,
    CONSTRAINT batch_task_folder_pkey PRIMARY KEY (task_id, position)
  )`,
  // The new index supports batch tasks, which process the contents of a folder in id order and continue after the last
  // one.
  `DROP INDEX mcdisk.content_catalog`,
  `CREATE INDEX content_catalog ON mcdisk.content (parent_catalog_id, content_id) WHERE parent_catalog_id IS NOT NULL`,
];

const DOWN = [
  `DROP INDEX mcdisk.content_catalog`,
  `CREATE INDEX content_catalog ON mcdisk.content (parent_catalog_id) WHERE parent_catalog_id IS NOT NULL`,
  `DROP TABLE mcdisk.batch_task_folder, mcdisk.batch_task`,
];

/** Batch tasks over many contents and folders, and their plans. */
export class BatchTasks1790000002071 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of DOWN) await runner.query(statement);
  }
}
