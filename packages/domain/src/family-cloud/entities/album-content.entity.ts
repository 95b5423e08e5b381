import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A file in an album. The row is retained while the file is in the recycle bin and deleted when the file is purged.
 */
@Entity({ schema: 'mcdisk', name: 'album_content' })
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
