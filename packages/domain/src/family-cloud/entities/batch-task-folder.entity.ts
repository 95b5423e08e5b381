import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A folder of a batch task's plan: a folder named in the request or one of its descendants. `position` orders parents
 * before children.
 */
@Entity({ schema: 'mcdisk', name: 'batch_task_folder' })
export class BatchTaskFolderEntity {
  @PrimaryColumn({ name: 'task_id', type: 'uuid', primaryKeyConstraintName: 'batch_task_folder_pkey' })
  taskId: string;

  @PrimaryColumn({ name: 'position', type: 'integer', primaryKeyConstraintName: 'batch_task_folder_pkey' })
  position: number;

  @Column({ name: 'catalog_id', type: 'uuid' })
  folderId: string;

  /** `position` of the parent folder; `null` for a folder named in the request. */
  @Column({ name: 'parent_position', type: 'integer', nullable: true })
  parentPosition: number | null;

  /** Copy of this folder that the task created. */
  @Column({ name: 'target_id', type: 'uuid', nullable: true })
  targetFolderId: string | null;
}
