import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A content in an album. It stays while the content is in the recycle bin, and goes when that is purged. */
@Entity({ schema: 'mcdisk', name: 'album_content' })
export class AlbumContentEntity {
  @PrimaryColumn({ name: 'photo_id', type: 'uuid', primaryKeyConstraintName: 'album_content_pkey' })
  albumId: string;

  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'album_content_pkey' })
  contentId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** That of the content; the database keeps it. */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  /** When the content was taken, or else made; the database keeps it. Unix milliseconds. */
  @Column({ name: 'taken_at', type: 'bigint' })
  capturedAt: number;

  /** Unix milliseconds. */
  @Column({ name: 'added_at', type: 'bigint' })
  addedAt: number;
}
