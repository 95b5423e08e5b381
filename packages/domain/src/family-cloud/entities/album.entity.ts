import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** An album: a named set of files of one cloud, independent of their folders. Clients call it CloudPhoto. */
@Entity({ schema: 'mcdisk', name: 'album' })
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
