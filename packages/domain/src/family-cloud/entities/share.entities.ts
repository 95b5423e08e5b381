import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AlbumEntity } from './album.entity.js';
import { ContentEntity } from './content.entity.js';
import { FamilyCloudEntity } from './family-cloud.entity.js';
import { FolderEntity } from './folder.entity.js';

/** TODO */
@Entity({ name: 'share', schema: 'mcdisk' })
@ForeignKey(() => AlbumEntity, ['photoId'], ['albumId'], { name: 'share_album_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => FolderEntity, ['catalogId'], ['folderId'], { name: 'share_catalog_fkey', onDelete: 'CASCADE' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'share_cloud_fkey', onDelete: 'CASCADE' })
@Check('share_subject', '(catalog_id IS NULL) OR (photo_id IS NULL)')
@Index('share_catalog', ['catalogId'], { where: 'catalog_id IS NOT NULL' })
@Index('share_expiry', ['expiresAt'], { where: 'expires_at IS NOT NULL' })
@Index('share_grantee', ['grantee', 'cloudId'])
@Index('share_listed', { synchronize: false }) // CREATE INDEX share_listed ON mcdisk.share USING btree (cloud_id, created_at DESC, authorization_id)
@Index('share_maker', ['createdBy'])
@Index('share_photo', ['photoId'], { where: 'photo_id IS NOT NULL' })
export class ShareEntity {
  @PrimaryColumn({ name: 'authorization_id', type: 'uuid', primaryKeyConstraintName: 'share_pkey' })
  authorizationId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'grantee', type: 'text' })
  grantee: string;

  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ name: 'catalog_id', type: 'uuid', nullable: true })
  catalogId: string | null;

  @Column({ name: 'photo_id', type: 'uuid', nullable: true })
  photoId: string | null;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'expires_at', type: 'bigint', nullable: true })
  expiresAt: number | null;
}

/** TODO */
@Entity({ name: 'share_content', schema: 'mcdisk' })
@ForeignKey(() => ContentEntity, ['contentId'], ['contentId'], {
  name: 'share_content_content_fkey',
  onDelete: 'CASCADE',
})
@ForeignKey(() => ShareEntity, ['authorizationId'], ['authorizationId'], {
  name: 'share_content_share_fkey',
  onDelete: 'CASCADE',
})
@Index('share_content_content', ['contentId'])
export class ShareContentEntity {
  @PrimaryColumn({ name: 'authorization_id', type: 'uuid', primaryKeyConstraintName: 'share_content_pkey' })
  authorizationId: string;

  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'share_content_pkey' })
  contentId: string;
}

/** TODO */
@Entity({ name: 'friendship', schema: 'mcdisk' })
@Check('friendship_pair', 'one_cid < other_cid')
@Index('friendship_of_other', ['otherCid'])
@Index('friendship_of_pair', ['oneCid', 'otherCid'])
export class FriendshipProjectionEntity {
  @PrimaryColumn({ name: 'friendship_id', type: 'text', primaryKeyConstraintName: 'friendship_pkey' })
  friendshipId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  @Column({ name: 'one_cid', type: 'text' })
  oneCid: string;

  @Column({ name: 'other_cid', type: 'text' })
  otherCid: string;

  @Column({ name: 'active', type: 'boolean' })
  active: boolean;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;
}

/** TODO */
@Entity({ name: 'media_grant', schema: 'mcdisk' })
@Index('media_grant_cloud', ['cloudId'])
@Index('media_grant_expiry', ['expiresAt'])
@Index('media_grant_from', ['fromCid'])
@Index('media_grant_message', ['messageId'])
@Index('media_grant_to', ['toCid'])
export class MediaGrantEntity {
  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'media_grant_pkey' })
  contentId: string;

  @PrimaryColumn({ name: 'message_id', type: 'text', primaryKeyConstraintName: 'media_grant_pkey' })
  messageId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  @Column({ name: 'from_cid', type: 'text' })
  fromCid: string;

  @PrimaryColumn({ name: 'to_cid', type: 'text', primaryKeyConstraintName: 'media_grant_pkey' })
  toCid: string;

  @Column({ name: 'to_family_id', type: 'text' })
  toFamilyId: string;

  @Column({ name: 'granted_at', type: 'bigint' })
  grantedAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
