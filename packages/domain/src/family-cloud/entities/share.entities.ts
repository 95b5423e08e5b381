import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { AlbumEntity, ContentEntity, FolderEntity } from './content.entities.js';
import { FamilyCloudEntity } from './family-cloud.entities.js';

/**
 * A share: read access of one member to individual files, a folder or an album of a cloud. The API calls it
 * authorization. Times are Unix milliseconds.
 */
@Entity({ schema: 'mcdisk', name: 'share' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'share_cloud_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => FolderEntity, ['folderId'], ['folderId'], { name: 'share_catalog_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => AlbumEntity, ['albumId'], ['albumId'], { name: 'share_album_fkey', onDelete: 'CASCADE' })
@Check('share_subject_check', 'catalog_id IS NULL OR photo_id IS NULL')
@Index('share_listed', { synchronize: false })
@Index('share_grantee', ['grantee', 'cloudId'])
@Index('share_maker', ['createdBy'])
@Index('share_expiry', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Index('share_catalog', ['folderId'], { where: 'catalog_id IS NOT NULL' })
@Index('share_photo', ['albumId'], { where: 'photo_id IS NOT NULL' })
export class ShareEntity {
  @PrimaryColumn({ name: 'authorization_id', type: 'uuid', primaryKeyConstraintName: 'share_pkey' })
  shareId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** The member who has read access. */
  @Column({ name: 'grantee', type: 'text' })
  grantee: PrincipalKey;

  /** The member who created the share. */
  @Column({ name: 'created_by', type: 'text' })
  createdBy: PrincipalKey;

  /** The shared folder. `folderId` and `albumId` are `null` for a share of individual files. */
  @Column({ name: 'catalog_id', type: 'uuid', nullable: true })
  folderId: string | null;

  @Column({ name: 'photo_id', type: 'uuid', nullable: true })
  albumId: string | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** When the share expires; `null` if it does not expire. */
  @Column({ name: 'expires_at', type: 'bigint', nullable: true })
  expiresAt: number | null;
}

/** An individual file of a share; files that are shared through a folder or album have no row. */
@Entity({ schema: 'mcdisk', name: 'share_content' })
@ForeignKey(() => ShareEntity, ['shareId'], ['shareId'], { name: 'share_content_share_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => ContentEntity, ['contentId'], ['contentId'], {
  name: 'share_content_content_fkey',
  onDelete: 'CASCADE',
})
@Index('share_content_content', ['contentId'])
export class ShareContentEntity {
  @PrimaryColumn({ name: 'authorization_id', type: 'uuid', primaryKeyConstraintName: 'share_content_pkey' })
  shareId: string;

  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'share_content_pkey' })
  contentId: string;
}

/** Projection of a friendship between two children from userctx. Only the highest version is stored. */
@Entity({ schema: 'mcdisk', name: 'friendship' })
@Check('friendship_pair_check', 'one_cid < other_cid')
@Index('friendship_of_pair', ['oneCid', 'otherCid'])
@Index('friendship_of_other', ['otherCid'])
export class FriendshipProjectionEntity {
  @PrimaryColumn({ name: 'friendship_id', type: 'text', primaryKeyConstraintName: 'friendship_pkey' })
  friendshipId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  /** The child with the lower id. */
  @Column({ name: 'one_cid', type: 'text' })
  oneCid: string;

  @Column({ name: 'other_cid', type: 'text' })
  otherCid: string;

  @Column({ name: 'active', type: 'boolean' })
  active: boolean;

  /**
   * When the friendship last ended, in Unix milliseconds; `null` if it never ended. Media grants from before this time
   * stay invalid if the friendship is renewed.
   */
  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;
}

/**
 * Read access of a friend's watch to a file that was sent in a chat message. A file may be sent repeatedly, in messages
 * that expire at different times. Times in Unix milliseconds.
 */
@Entity({ schema: 'mcdisk', name: 'media_grant' })
@Index('media_grant_message', ['messageId'])
@Index('media_grant_expiry', ['expiresAt'])
@Index('media_grant_from', ['fromCid'])
@Index('media_grant_to', ['toCid'])
@Index('media_grant_cloud', ['cloudId'])
export class MediaGrantEntity {
  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'media_grant_pkey' })
  contentId: string;

  @PrimaryColumn({ name: 'message_id', type: 'text', primaryKeyConstraintName: 'media_grant_pkey' })
  messageId: string;

  /** The cloud of the file. */
  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** The child who sent the message. */
  @Column({ name: 'from_cid', type: 'text' })
  fromCid: string;

  /** The friend whose watch may read the file. */
  @PrimaryColumn({ name: 'to_cid', type: 'text', primaryKeyConstraintName: 'media_grant_pkey' })
  toCid: string;

  @Column({ name: 'to_family_id', type: 'text' })
  toFamilyId: string;

  /** When the message was sent. */
  @Column({ name: 'granted_at', type: 'bigint' })
  grantedAt: number;

  /** When the message expires. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
