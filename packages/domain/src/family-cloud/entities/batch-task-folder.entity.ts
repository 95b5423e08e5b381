import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A folder that a batch task deals with, as its plan found it: named, or below a named one. From above downwards. */
@Entity({ schema: 'mcdisk', name: 'batch_task_folder' })
export class BatchTaskFolderEntity {
  @PrimaryColumn({ name: 'task_id', type: 'uuid', primaryKeyConstraintName: 'batch_task_folder_pkey' })
  taskId: string;

  @PrimaryColumn({ name: 'position', type: 'integer', primaryKeyConstraintName: 'batch_task_folder_pkey' })
  position: number;

  @Column({ name: 'catalog_id', type: 'uuid' })
  folderId: string;

  /** Place of the folder above it; `null`: it was named. */
  @Column({ name: 'parent_position', type: 'integer', nullable: true })
  parentPosition: number | null;

  /** The copy that was made of it. */
  @Column({ name: 'target_id', type: 'uuid', nullable: true })
  targetFolderId: string | null;
}
