import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { BatchTaskState, BatchTaskType } from '../contracts/cloud-task.js';
import { FamilyCloudEntity } from './family-cloud.entities.js';

/**
 * A background copy, deletion or move of many items. The task is processed in parts; each part is committed together
 * with the task's progress.
 */
@Entity({ schema: 'mcdisk', name: 'batch_task' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'batch_task_cloud_fkey', onDelete: 'CASCADE' })
@Check('batch_task_state_check', `state IN ('WAITING', 'RUNNING', 'DONE', 'CANCELLED')`)
@Check('batch_task_finished_check', `(finished_at IS NOT NULL) = (state IN ('DONE', 'CANCELLED'))`)
@Index('batch_task_turn', ['nextRunAt'], { where: 'finished_at IS NULL' })
@Index('batch_task_open', ['cloudId'], { where: 'finished_at IS NULL' })
@Index('batch_task_principal', ['principal'])
@Index('batch_task_over', ['finishedAt'], { where: 'finished_at IS NOT NULL' })
export class BatchTaskEntity {
  @PrimaryColumn({ name: 'task_id', type: 'uuid', primaryKeyConstraintName: 'batch_task_pkey' })
  taskId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'task_type', type: 'smallint' })
  taskType: BatchTaskType;

  @Column({ name: 'state', type: 'text' })
  state: BatchTaskState;

  /** The principal that created the task; the task runs with the current permissions of this principal. */
  @Column({ name: 'principal', type: 'text' })
  principal: PrincipalKey;

  /**
   * Ids of the requested files. After planning, without the files that are in a folder of the plan, because they are
   * processed with that folder.
   */
  @Column({ name: 'content_ids', type: 'uuid', array: true })
  contentIds: string[];

  /** Ids of the requested folders. */
  @Column({ name: 'catalog_ids', type: 'uuid', array: true })
  folderIds: string[];

  /** Target of a copy or move; `null`: the root folder. */
  @Column({ name: 'dest_catalog_id', type: 'uuid', nullable: true })
  destFolderId: string | null;

  /** Index of the current phase among the phases of the task type; `null` before planning. */
  @Column({ name: 'phase', type: 'smallint', nullable: true })
  phase: number | null;

  /**
   * Position in the phase: the `position` of the next folder of the plan, or the index of the next file in
   * `contentIds`.
   */
  @Column({ name: 'position', type: 'integer' })
  position: number;

  /** The last processed file in the folder at `position`; `null` before the first file. */
  @Column({ name: 'last_content_id', type: 'uuid', nullable: true })
  lastContentId: string | null;

  /**
   * True after the cloud was full or the task failed repeatedly. The remaining items of a stopped task count as failed
   * without being processed.
   */
  @Column({ name: 'stopped', type: 'boolean' })
  stopped: boolean;

  @Column({ name: 'total', type: 'integer' })
  total: number;

  @Column({ name: 'done', type: 'integer' })
  done: number;

  @Column({ name: 'failed', type: 'integer' })
  failed: number;

  /** The first ids of failed items, as the request contains them; such an id may be any text. */
  @Column({ name: 'failure_ids', type: 'json' })
  failureIds: string[];

  /** Number of consecutive failures of the task's next part. */
  @Column({ name: 'attempts', type: 'smallint' })
  attempts: number;

  /**
   * When the task may run next; the task with the earliest time runs first. All times of this entity are in Unix
   * milliseconds.
   */
  @Column({ name: 'turn_at', type: 'bigint' })
  nextRunAt: number;

  /** When the task's progress was last published. */
  @Column({ name: 'told_at', type: 'bigint', nullable: true })
  lastNotifiedAt: number | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'finished_at', type: 'bigint', nullable: true })
  finishedAt: number | null;
}

/**
 * A folder of a batch task's plan: a requested folder or one of its descendants. A parent folder has a lower `position`
 * than its subfolders.
 */
@Entity({ schema: 'mcdisk', name: 'batch_task_folder' })
@ForeignKey(() => BatchTaskEntity, ['taskId'], ['taskId'], { name: 'batch_task_folder_task_fkey', onDelete: 'CASCADE' })
export class BatchTaskFolderEntity {
  @PrimaryColumn({ name: 'task_id', type: 'uuid', primaryKeyConstraintName: 'batch_task_folder_pkey' })
  taskId: string;

  @PrimaryColumn({ name: 'position', type: 'integer', primaryKeyConstraintName: 'batch_task_folder_pkey' })
  position: number;

  @Column({ name: 'catalog_id', type: 'uuid' })
  folderId: string;

  /** `position` of the parent folder; `null` for a requested folder. */
  @Column({ name: 'parent_position', type: 'integer', nullable: true })
  parentPosition: number | null;

  /** Copy of this folder that the task created; `null` if it has created none. */
  @Column({ name: 'target_id', type: 'uuid', nullable: true })
  targetFolderId: string | null;
}
