import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { FolderState, ContentState, ContentType } from '../contracts/content.js';
import { FamilyCloudEntity } from './family-cloud.entities.js';
import { BlobEntity } from './storage.entities.js';

/** A folder of a family cloud. The root folder has no row. */
@Entity({ schema: 'mcdisk', name: 'catalog' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'catalog_cloud_fkey' })
@ForeignKey(() => FolderEntity, ['parentFolderId'], ['folderId'], { name: 'catalog_parent_fkey' })
@Check('catalog_state_check', `state IN ('ACTIVE', 'DELETED')`)
@Check('catalog_chain_check', 'chain[cardinality(chain)] = catalog_id')
@Index('catalog_name', { synchronize: false })
@Index('catalog_chain', ['pathIds'], { type: 'gin' })
@Index('catalog_parent', ['parentFolderId'])
@Index('catalog_cloud', ['cloudId'], { where: `state = 'ACTIVE'` })
@Index('catalog_creator', ['createdBy'])
@Index('catalog_deleted', ['updatedAt'], { where: `state = 'DELETED'` })
export class FolderEntity {
  @PrimaryColumn({ name: 'catalog_id', type: 'uuid', primaryKeyConstraintName: 'catalog_pkey' })
  folderId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** Parent folder; `null` if the parent is the root folder. */
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

/** A file in a family cloud. */
@Entity({ schema: 'mcdisk', name: 'content' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'content_cloud_fkey' })
@ForeignKey(() => FolderEntity, ['parentFolderId'], ['folderId'], { name: 'content_catalog_fkey' })
@ForeignKey(() => BlobEntity, ['cloudId', 'blobKey'], ['cloudId', 'blobKey'], { name: 'content_blob_fkey' })
@Check('content_size_check', 'size >= 0')
@Check('content_state_check', `state IN ('ACTIVE', 'RECYCLED', 'PURGED')`)
@Check('content_has_bytes_check', `blob_key IS NOT NULL OR state = 'PURGED'`)
@Index('content_listed', { synchronize: false })
@Index('content_recycled', { synchronize: false })
@Index('content_purge', ['purgeAt'], { where: `state = 'RECYCLED'` })
@Index('content_copies', ['cloudId', 'blobKey', 'contentId'], { where: 'blob_key IS NOT NULL' })
@Index('content_catalog', ['parentFolderId', 'contentId'], { where: 'parent_catalog_id IS NOT NULL' })
@Index('content_child', ['cloudId', 'cid', 'contentId'], { where: `cid IS NOT NULL AND state = 'ACTIVE'` })
export class ContentEntity {
  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'content_pkey' })
  contentId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** Folder that contains the file; `null` if this is the root folder. */
  @Column({ name: 'parent_catalog_id', type: 'uuid', nullable: true })
  parentFolderId: string | null;

  /** The child whose watch uploaded the file; `null` if a member added the file. */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  /** The file's blob; `null` after the file was purged. */
  @Column({ name: 'blob_key', type: 'uuid', nullable: true })
  blobKey: string | null;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Size in bytes. */
  @Column({ name: 'size', type: 'bigint' })
  size: number;

  /** SHA-256 of the bytes, in lower-case hexadecimal. */
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

/**
 * A recycle bin that is being emptied; the row is deleted when the recycle bin is empty. Times in Unix milliseconds.
 */
@Entity({ schema: 'mcdisk', name: 'bin_emptying' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'bin_emptying_cloud_fkey' })
export class RecycleBinEmptyingEntity {
  @PrimaryColumn({ name: 'cloud_id', type: 'text', primaryKeyConstraintName: 'bin_emptying_pkey' })
  cloudId: string;

  @Column({ name: 'requested_by', type: 'text' })
  requestedBy: PrincipalKey;

  /** Files that were moved to the recycle bin up to this time are purged. */
  @Column({ name: 'recycled_until', type: 'bigint' })
  recycledUntil: number;

  /**
   * All files that were moved to the recycle bin before this time are already purged, except files that another
   * transaction had locked.
   */
  @Column({ name: 'recycled_from', type: 'bigint', default: 0 })
  recycledFrom: number;

  /** Earliest time at which the next part of the files is purged; 0 means as soon as possible. */
  @Column({ name: 'next_at', type: 'bigint', default: 0 })
  nextAt: number;
}

/** An album: a named set of files of one cloud, independent of their folders. Clients call it CloudPhoto. */
@Entity({ schema: 'mcdisk', name: 'album' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'album_cloud_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => ContentEntity, ['coverContentId'], ['contentId'], { name: 'album_cover_fkey', onDelete: 'SET NULL' })
@Index('album_listed', { synchronize: false })
@Index('album_creator', ['createdBy'])
@Index('album_cover', ['coverContentId'], { where: 'cover_content_id IS NOT NULL' })
export class AlbumEntity {
  @PrimaryColumn({ name: 'photo_id', type: 'uuid', primaryKeyConstraintName: 'album_pkey' })
  albumId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /**
   * The child whose watch created the album; `null` if a member created the album. The album is visible to members to
   * whom the child's files are visible.
   */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** The cover that a member chose; `null`: the newest file. */
  @Column({ name: 'cover_content_id', type: 'uuid', nullable: true })
  coverContentId: string | null;

  @Column({ name: 'created_by', type: 'text' })
  createdBy: PrincipalKey;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds of the last change of the album's name, cover or files. */
  @Column({ name: 'updated_at', type: 'bigint' })
  updatedAt: number;
}

/**
 * A file in an album. The row is retained while the file is in the recycle bin and deleted when the file is purged.
 */
@Entity({ schema: 'mcdisk', name: 'album_content' })
@ForeignKey(() => AlbumEntity, ['albumId'], ['albumId'], { name: 'album_content_album_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => ContentEntity, ['contentId'], ['contentId'], {
  name: 'album_content_content_fkey',
  onDelete: 'CASCADE',
})
@Index('album_content_content', ['contentId'])
@Index('album_content_taken', { synchronize: false })
export class AlbumContentEntity {
  @PrimaryColumn({ name: 'photo_id', type: 'uuid', primaryKeyConstraintName: 'album_content_pkey' })
  albumId: string;

  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'album_content_pkey' })
  contentId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** `cid` of the file; a database trigger updates this copy. */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  /**
   * Capture time of the file, or its creation time if unknown, in Unix milliseconds; a database trigger updates this
   * copy.
   */
  @Column({ name: 'taken_at', type: 'bigint' })
  capturedAt: number;

  /** Unix milliseconds. */
  @Column({ name: 'added_at', type: 'bigint' })
  addedAt: number;
}

/**
 * Number of an album's files that one child's watch uploaded, including files in the recycle bin. Database triggers
 * update the number. In the database, the key is a unique constraint in which nulls are equal, not a primary key.
 */
@Entity({ schema: 'mcdisk', name: 'album_count' })
@ForeignKey(() => AlbumEntity, ['albumId'], ['albumId'], { name: 'album_count_album_fkey', onDelete: 'CASCADE' })
export class AlbumCountEntity {
  @PrimaryColumn({ name: 'photo_id', type: 'uuid', primaryKeyConstraintName: 'album_count_key' })
  albumId: string;

  /** The child whose watch uploaded the files; `null` for the files that members added. */
  @PrimaryColumn({ name: 'cid', type: 'text', primaryKeyConstraintName: 'album_count_key' })
  cid: string | null;

  @Column({ name: 'placed', type: 'integer' })
  contentCount: number;
}
