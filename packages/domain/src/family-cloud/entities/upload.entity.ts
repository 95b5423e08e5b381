import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { UploadState } from '../contracts/upload.js';

/** One announced file of an upload task; its address is a capability of which only the hash is stored. */
@Entity({ schema: 'mcdisk', name: 'upload' })
export class UploadEntity {
  /** Id of the content that it becomes. */
  @PrimaryColumn({ name: 'content_id', type: 'uuid', primaryKeyConstraintName: 'upload_pkey' })
  contentId: string;

  @Column({ name: 'task_id', type: 'uuid' })
  taskId: string;

  @Column({ name: 'cloud_id', type: 'text' })
  cloudId: string;

  /** Who announced it; the address works for nobody else's account. */
  @Column({ name: 'principal', type: 'text' })
  principal: PrincipalKey;

  @Column({ name: 'session_id', type: 'text' })
  sessionId: string;

  @Column({ name: 'parent_catalog_id', type: 'uuid', nullable: true })
  parentFolderId: string | null;

  /** SHA-256 of the address's token. */
  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Announced bytes; what the quota holds for it. */
  @Column({ name: 'size', type: 'bigint' })
  size: number;

  /** Announced SHA-256, lower-case hex; once complete, that of the bytes. */
  @Column({ name: 'digest', type: 'text', nullable: true })
  digest: string | null;

  @Column({ name: 'state', type: 'text' })
  state: UploadState;

  /** The blob that the running or finished PUT writes; one per attempt. */
  @Column({ name: 'blob_key', type: 'uuid', nullable: true })
  blobKey: string | null;

  /** Unix milliseconds, as the times below. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** End of the address while PENDING, of the PUT's time while RECEIVING. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'completed_at', type: 'bigint', nullable: true })
  completedAt: number | null;

  /** Bytes that are on the disk: where a resumable upload goes on. */
  @Column({ name: 'received_size', type: 'bigint' })
  receivedSize: number;

  /** Who appends at the moment, by a random id of that request; `null`: nobody. */
  @Column({ name: 'lock_holder', type: 'uuid', nullable: true })
  leaseHolder: string | null;

  /** End of the holder's lease, Unix milliseconds. A lease that ran out was not given back: its holder died or hangs. */
  @Column({ name: 'lock_until', type: 'bigint', nullable: true })
  leaseExpiresAt: number | null;

  /** Somebody else waits: the holder is to stop. */
  @Column({ name: 'lock_wanted', type: 'boolean' })
  leaseRequested: boolean;
}
