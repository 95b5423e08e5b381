import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { BlobEntity } from './storage.entities.js';

/**
 * The archive of an export that a person requested in userctx. The row exists from the request until the export ends; an
 * archive without a blob is being assembled.
 */
@Entity({ schema: 'mcdisk', name: 'export_archive' })
@ForeignKey(() => BlobEntity, ['blobKey'], ['blobKey'], { name: 'export_archive_blob_fkey' })
@Unique('export_archive_blob_key', ['blobKey'])
@Check('export_archive_complete_check', '(blob_key IS NULL) = (completed_at IS NULL)')
@Index('export_archive_due', ['dueAt'], { where: 'blob_key IS NULL' })
@Index('export_archive_user', ['userId'])
export class ExportArchiveEntity {
  @PrimaryColumn('uuid', { name: 'export_id', primaryKeyConstraintName: 'export_archive_pkey' })
  exportId: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  /** Unix milliseconds from which a process may assemble the archive; moved while a process assembles it. */
  @Column('bigint', { name: 'due_at' })
  dueAt: number;

  /** Unix milliseconds of the request; null if an earlier build stored it. */
  @Column('bigint', { name: 'requested_at', nullable: true })
  requestedAt: number | null;

  /** Bytes that the archive is known to need at least; null before they are determined. */
  @Column('bigint', { name: 'expected_size', nullable: true })
  expectedSize: number | null;

  /** Number of processes that have begun to assemble the archive. */
  @Column('smallint', { default: 0 })
  attempts: number;

  /**
   * Key of the bytes that are being staged, which also identifies the process that may complete the archive; null before
   * and after.
   */
  @Column('uuid', { name: 'staged_key', nullable: true })
  stagedKey: string | null;

  @Column('uuid', { name: 'blob_key', nullable: true })
  blobKey: string | null;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'completed_at', nullable: true })
  completedAt: number | null;
}
