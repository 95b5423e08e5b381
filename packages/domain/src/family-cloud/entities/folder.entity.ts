import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { FolderState } from '../contracts/folder.js';
import { FamilyCloudEntity } from './family-cloud.entity.js';

/** A folder of a family cloud. The root folder has no row. */
@Entity({ schema: 'mcdisk', name: 'catalog' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'catalog_cloud_fkey' })
@ForeignKey(() => FolderEntity, ['parentFolderId'], ['folderId'], { name: 'catalog_parent_fkey' })
@Check('catalog_state', `state IN ('ACTIVE', 'DELETED')`)
@Check('catalog_chain', 'chain[cardinality(chain)] = catalog_id')
@Index('catalog_name', { synchronize: false })
@Index('catalog_chain', ['pathIds'], { type: 'gin' })
@Index('catalog_parent', ['parentFolderId'])
@Index('catalog_cloud', ['cloudId'], { where: `state = 'ACTIVE'` })
@Index('catalog_deleted', ['updatedAt'], { where: `state = 'DELETED'` })
export class FolderEntity {
  @PrimaryColumn({ name: 'catalog_id', type: 'uuid', primaryKeyConstraintName: 'catalog_pkey' })
  folderId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** Parent folder; `null` for the root folder. */
  @Column({ name: 'parent_catalog_id', type: 'uuid', nullable: true })
  parentFolderId: string | null;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Folder ids from the root to this folder, including this folder; updated when an ancestor moves. */
  @Column({ name: 'chain', type: 'uuid', array: true })
  pathIds: string[];

  @Column({ name: 'created_by', type: 'text' })
  createdBy: PrincipalKey;

  @Column({ name: 'state', type: 'text' })
  state: FolderState;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt: number;
}
