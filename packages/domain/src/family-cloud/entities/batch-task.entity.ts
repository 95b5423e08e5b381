import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { BatchTaskState, BatchTaskType } from '../contracts/batch-task.js';

/** Copying, deleting or moving many things, and how far it has come: committed with each part of the work. */
@Entity({ schema: 'mcdisk', name: 'batch_task' })
export class BatchTaskEntity {
  @PrimaryColumn({ name: 'task_id', type: 'uuid', primaryKeyConstraintName: 'batch_task_pkey' })
  taskId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'task_type', type: 'smallint' })
  taskType: BatchTaskType;

  @Column({ name: 'state', type: 'text' })
  state: BatchTaskState;

  /** Who began it, with whose rights it goes on. */
  @Column({ name: 'principal', type: 'text' })
  principal: PrincipalKey;

  /** Contents that were named, once planned without those that go with a named folder. */
  @Column({ name: 'content_ids', type: 'uuid', array: true })
  contentIds: string[];

  /** Folders that were named. */
  @Column({ name: 'catalog_ids', type: 'uuid', array: true })
  folderIds: string[];

  /** Where to copy or move; `null`: the root catalog. */
  @Column({ name: 'dest_catalog_id', type: 'uuid', nullable: true })
  destFolderId: string | null;

  /** Index of the phase under way among those of its type; `null`: not planned yet. */
  @Column({ name: 'phase', type: 'smallint', nullable: true })
  phase: number | null;

  /** Place in the phase: the next folder or named content. */
  @Column({ name: 'position', type: 'integer' })
  position: number;

  /** The last content of that folder that was dealt with. */
  @Column({ name: 'last_content_id', type: 'uuid', nullable: true })
  lastContentId: string | null;

  /** The cloud is full, or something keeps failing: what is left is only counted. */
  @Column({ name: 'stopped', type: 'boolean' })
  stopped: boolean;

  @Column({ name: 'total', type: 'integer' })
  total: number;

  @Column({ name: 'done', type: 'integer' })
  done: number;

  @Column({ name: 'failed', type: 'integer' })
  failed: number;

  /** The first that failed; ids as they were named, which may be any text. */
  @Column({ name: 'failure_ids', type: 'json' })
  failureIds: string[];

  /** How often in a row the part that comes next broke off. */
  @Column({ name: 'attempts', type: 'smallint' })
  attempts: number;

  /** When its turn comes, Unix milliseconds as the times below; whoever waits longest is next. */
  @Column({ name: 'turn_at', type: 'bigint' })
  nextRunAt: number;

  /** When its progress was told last. */
  @Column({ name: 'told_at', type: 'bigint', nullable: true })
  lastNotifiedAt: number | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'finished_at', type: 'bigint', nullable: true })
  finishedAt: number | null;
}
