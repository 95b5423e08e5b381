import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { UploadState } from '../contracts/blob.js';
import { BlobEntity } from './storage.entities.js';
import { FamilyCloudEntity } from './family-cloud.entities.js';
import { FolderEntity } from './content.entities.js';

/**
 * The upload of one announced file of an upload session. The upload URL contains a capability token, of which only the
 * hash is stored.
 */
@Entity({ schema: 'mcdisk', name: 'upload' })
@ForeignKey(() => FamilyCloudEntity, ['cloudId'], ['cloudId'], { name: 'upload_cloud_fkey' })
@ForeignKey(() => FolderEntity, ['parentFolderId'], ['folderId'], { name: 'upload_catalog_fkey' })
@ForeignKey(() => BlobEntity, ['blobKey'], ['blobKey'], { name: 'upload_blob_fkey' })
@Unique('upload_token_key', ['tokenHash'])
@Check('upload_size_check', 'size >= 0')
@Check('upload_received_check', 'received_size >= 0 AND received_size <= size')
@Check('upload_state_check', `state IN ('PENDING', 'RECEIVING', 'COMPLETE', 'REFUSED', 'ABORTED', 'EXPIRED')`)
@Index('upload_task', ['taskId'])
@Index('upload_blob', ['blobKey'])
@Index('upload_catalog', ['parentFolderId'], { where: 'parent_catalog_id IS NOT NULL' })
@Index('upload_open', ['expiresAt'], { where: `state IN ('PENDING', 'RECEIVING')` })
@Index('upload_created', ['createdAt'])
@Index('upload_principal', ['principal'])
export class UploadEntity {
  /** Id of the file that the upload creates. */
  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'upload_pkey' })
  contentId: string;

  @Column({ name: 'task_id', type: 'uuid' })
  taskId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** The principal that announced the file. The upload URL is valid only while this principal may add files. */
  @Column({ name: 'principal', type: 'text' })
  principal: PrincipalKey;

  /** Sign-in session that announced the file; the upload is aborted when the session ends. */
  @Column({ name: 'session_id', type: 'text' })
  sessionId: string;

  @Column({ name: 'parent_catalog_id', type: 'uuid', nullable: true })
  parentFolderId: string | null;

  /** SHA-256 of the capability token. */
  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Announced size in bytes, reserved in the quota. */
  @Column({ name: 'size', type: 'bigint' })
  size: number;

  /** Announced SHA-256 in lower-case hexadecimal, if any; once the upload is complete, SHA-256 of the stored bytes. */
  @Column({ name: 'digest', type: 'text', nullable: true })
  digest: string | null;

  @Column({ name: 'state', type: 'text' })
  state: UploadState;

  /** Key of the blob to which the running or finished upload writes. Each attempt to upload by PUT has its own blob. */
  @Column({ name: 'blob_key', type: 'uuid', nullable: true })
  blobKey: string | null;

  /** All times of this entity are in Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** While PENDING, expiry of the URL; while RECEIVING, deadline of the upload. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'completed_at', type: 'bigint', nullable: true })
  completedAt: number | null;

  /** Number of stored bytes: the offset at which a resumable upload continues. */
  @Column({ name: 'received_size', type: 'bigint', default: 0 })
  receivedSize: number;

  /** Random id of the request that currently appends bytes; `null` if no request appends bytes. */
  @Column({ name: 'lock_holder', type: 'uuid', nullable: true })
  leaseHolder: string | null;

  /**
   * Expiry of the lease of `leaseHolder`, in Unix milliseconds. The holder of an expired lease has crashed or hangs.
   */
  @Column({ name: 'lock_until', type: 'bigint', nullable: true })
  leaseExpiresAt: number | null;

  /** True when another request waits for the lease; the current lease holder should stop. */
  @Column({ name: 'lock_wanted', type: 'boolean', default: false })
  leaseRequested: boolean;
}
