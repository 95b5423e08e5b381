import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../../accounts/entities/account.entities.js';
import type { DataExportState, ExportFailureReason } from '../contracts/data-export.js';

/** An export of everything that a person may see. mcdisk has the archive. */
@Entity({ schema: 'userctx', name: 'data_export' })
@Check('data_export_state_check', `state IN ('WAITING', 'RUNNING', 'READY', 'FAILED', 'ENDED')`)
@ForeignKey(() => AccountEntity, ['userId'], ['userId'], { name: 'data_export_account_fkey', onDelete: 'CASCADE' })
@Index('data_export_running', ['userId'], { unique: true, where: `state IN ('WAITING', 'RUNNING')` })
@Index('data_export_person', ['userId', 'requestedAt'])
@Index('data_export_ended', ['requestedAt'], { where: `state IN ('FAILED', 'ENDED')` })
@Index('data_export_expiry', ['expiresAt'], { where: `state = 'READY'` })
@Index('data_export_families', { synchronize: false })
export class DataExportEntity {
  @PrimaryColumn('uuid', { name: 'export_id', primaryKeyConstraintName: 'data_export_pkey' })
  exportId!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  /** The session that requested the export and confirmed it with a step-up. */
  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  @Column('text')
  state!: DataExportState;

  /** All times are in Unix milliseconds. */
  @Column('bigint', { name: 'requested_at' })
  requestedAt!: number;

  /** The families, children and permissions of the person at the request and since then, see `ExportScopeService`. */
  @Column('text', { array: true })
  scope!: string[];

  /** The families of the scope. */
  @Column('uuid', { name: 'family_ids', array: true })
  familyIds!: string[];

  @Column('integer', { default: 0 })
  records!: number;

  @Column('integer', { default: 0 })
  files!: number;

  @Column('bigint', { default: 0 })
  bytes!: number;

  /** Why the export failed; null in other states. */
  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason!: ExportFailureReason | null;

  /** When mcdisk last reported about the archive; null before. */
  @Column('bigint', { name: 'reported_at', nullable: true })
  reportedAt!: number | null;

  /** Size of the archive in bytes; null until it is complete. */
  @Column('bigint', { nullable: true })
  size!: number | null;

  /** When the archive is deleted; null until it is complete. */
  @Column('bigint', { name: 'expires_at', nullable: true })
  expiresAt!: number | null;
}
