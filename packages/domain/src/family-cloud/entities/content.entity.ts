import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { ContentState, ContentType } from '../contracts/content.js';
import { BlobEntity } from './blob.entity.js';
import { FamilyCloudEntity } from './family-cloud.entity.js';
import { FolderEntity } from './folder.entity.js';

/** A file in a family cloud. */
@Entity({ schema: 'mcdisk', name: 'content' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'content_cloud_fkey' })
@ForeignKey(() => FolderEntity, ['parentFolderId'], ['folderId'], { name: 'content_catalog_fkey' })
@ForeignKey(() => BlobEntity, ['cloudId', 'blobKey'], ['cloudId', 'blobKey'], { name: 'content_blob_fkey' })
@Check('content_size', 'size >= 0')
@Check('content_state', `state IN ('ACTIVE', 'RECYCLED', 'PURGED')`)
@Check('content_has_bytes', `blob_key IS NOT NULL OR state = 'PURGED'`)
@Index('content_listed', { synchronize: false })
@Index('content_recycled', { synchronize: false })
@Index('content_purge', ['purgeAt'], { where: `state = 'RECYCLED'` })
@Index('content_blob', ['cloudId', 'blobKey'], { where: 'blob_key IS NOT NULL' })
@Index('content_catalog', ['parentFolderId', 'contentId'], { where: 'parent_catalog_id IS NOT NULL' })
@Index('content_child', ['cloudId', 'cid', 'contentId'], { where: `cid IS NOT NULL AND state = 'ACTIVE'` })
export class ContentEntity {
  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'content_pkey' })
  contentId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** Folder of the file; `null` for the root folder. */
  @Column({ name: 'parent_catalog_id', type: 'uuid', nullable: true })
  parentFolderId: string | null;

  /** The child whose watch uploaded the file; `null` if a member added the file. */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  /** `null` once purged. */
  @Column({ name: 'blob_key', type: 'uuid', nullable: true })
  blobKey: string | null;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Bytes. */
  @Column({ name: 'size', type: 'bigint' })
  size: number;

  /** SHA-256, lower-case hex. */
  @Column({ name: 'digest', type: 'text' })
  digest: string;

  @Column({ name: 'type', type: 'smallint' })
  type: ContentType;

  /** Media type detected from the bytes. */
  @Column({ name: 'media_type', type: 'text' })
  mediaType: string;

  @Column({ name: 'uploader', type: 'text' })
  uploader: PrincipalKey;

  @Column({ name: 'state', type: 'text' })
  state: ContentState;

  /** All times of this entity are in Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt: number;

  /** Capture time, from the file's metadata or set by a member; `null` if unknown. */
  @Column({ name: 'shot_at', type: 'bigint', nullable: true })
  capturedAt: number | null;

  @Column({ name: 'recycled_at', type: 'bigint', nullable: true })
  recycledAt: number | null;

  /** When the file is deleted permanently from the recycle bin. */
  @Column({ name: 'purge_at', type: 'bigint', nullable: true })
  purgeAt: number | null;
}
