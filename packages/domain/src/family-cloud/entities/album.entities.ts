import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { ContentEntity } from './content.entity.js';
import { FamilyCloudEntity } from './family-cloud.entity.js';

/** An album: a named set of files of one cloud, independent of their folders. Clients call it CloudPhoto. */
@Entity({ schema: 'mcdisk', name: 'album' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'album_cloud_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => ContentEntity, ['coverContentId'], ['contentId'], { name: 'album_cover_fkey', onDelete: 'SET NULL' })
@Index('album_listed', { synchronize: false })
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
 * Number of an album's files that were uploaded by one child; database triggers update it. Files in the recycle bin are
 * counted. The key is a unique constraint in which nulls are equal, not a primary key.
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
