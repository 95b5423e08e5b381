import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Location } from '../../locations/contracts/location.js';
import type { CenterCategory } from '../../messages/contracts/message-center.js';
import type { SmsProviderName } from '../../sms/contracts/sms.js';
import type { SosChannel, SosState } from '../contracts/sos.js';

/** An emergency call of a child. Times are Unix milliseconds. */
@Entity({ name: 'sos', schema: 'userctx' })
@Check('sos_state_check', `state IN ('RAISED', 'NOTIFYING', 'ACKNOWLEDGED', 'RESOLVED')`)
@Index('sos_acknowledged_by', ['acknowledgedBy'], { where: 'acknowledged_by IS NOT NULL' })
@Index('sos_age', ['raisedAt'], { where: `state = 'RESOLVED'` })
@Index('sos_due', ['nextStepAt'], { where: 'next_step_at IS NOT NULL' })
@Index('sos_of_child', { synchronize: false })
@Index('sos_one_active', ['cid'], { unique: true, where: `state <> 'RESOLVED'` })
@Index('sos_resolved_by', ['resolvedBy'], { where: 'resolved_by IS NOT NULL' })
export class SosEntity {
  @PrimaryColumn({ name: 'sos_id', type: 'uuid', primaryKeyConstraintName: 'sos_pkey' })
  sosId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  /** The watch that raised the SOS. */
  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'state', type: 'text' })
  state: SosState;

  @Column({ name: 'raised_at', type: 'bigint' })
  raisedAt: number;

  /** When the child last pressed the SOS button. */
  @Column({ name: 'last_raised_at', type: 'bigint' })
  lastRaisedAt: number;

  /** The last location that the watch sent when it raised the SOS, or the child's last location, or null. */
  @Column({ name: 'location', type: 'jsonb', nullable: true })
  location: Location | null;

  /** Whether `location` is the child's last location, because the watch sent no credible one. */
  @Column({ name: 'is_last_location', type: 'boolean', default: false })
  isLastLocation: boolean;

  @Column({ name: 'acknowledged_by', type: 'text', nullable: true })
  acknowledgedBy: PrincipalKey | null;

  @Column({ name: 'acknowledged_at', type: 'bigint', nullable: true })
  acknowledgedAt: number | null;

  @Column({ name: 'resolved_by', type: 'text', nullable: true })
  resolvedBy: PrincipalKey | null;

  @Column({ name: 'resolved_at', type: 'bigint', nullable: true })
  resolvedAt: number | null;

  /** When the next escalation step is due; null once the SOS is acknowledged. */
  @Column({ name: 'next_step_at', type: 'bigint', nullable: true })
  nextStepAt: number | null;
}

/**
 * One press of the SOS button, identified by the watch and the time on its clock (Unix milliseconds). If the watch
 * repeats the report, the service finds the same SOS, even after the SOS is resolved. A press without a plausible time
 * has no row.
 */
@Entity({ name: 'sos_raise', schema: 'userctx' })
@ForeignKey(() => SosEntity, ['sosId'], ['sosId'], { name: 'sos_raise_sos_fkey', onDelete: 'CASCADE' })
@Index('sos_raise_of_sos', ['sosId'])
export class SosRaiseEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'sos_raise_pkey' })
  did: number;

  @PrimaryColumn({ name: 'time', type: 'bigint', primaryKeyConstraintName: 'sos_raise_pkey' })
  time: number;

  @Column({ name: 'sos_id', type: 'uuid' })
  sosId: string;
}

/** One notification about an SOS. Times are Unix milliseconds. */
@Entity({ name: 'sos_step', schema: 'userctx' })
@Check('sos_step_channel_check', `channel IN ('APP', 'SMS')`)
@ForeignKey(() => SosEntity, ['sosId'], ['sosId'], { name: 'sos_step_sos_fkey', onDelete: 'CASCADE' })
@Index('sos_step_one_turn', ['sosId', 'refId'], {
  unique: true,
  where: `(channel = 'SMS') AND (ref_id IS NOT NULL)`,
})
@Index('sos_step_user', ['userId'], { where: 'user_id IS NOT NULL' })
export class SosStepEntity {
  @PrimaryColumn({ name: 'sos_id', type: 'uuid', primaryKeyConstraintName: 'sos_step_pkey' })
  sosId: string;

  /** Number of the escalation step, from 0. */
  @PrimaryColumn({ name: 'step', type: 'integer', primaryKeyConstraintName: 'sos_step_pkey' })
  step: number;

  @PrimaryColumn({ name: 'channel', type: 'text', primaryKeyConstraintName: 'sos_step_pkey' })
  channel: SosChannel;

  @Column({ name: 'at', type: 'bigint' })
  at: number;

  /** The notified contact; null for a notification of all members with the permission ALERTS. */
  @Column({ name: 'ref_id', type: 'uuid', nullable: true })
  refId: string | null;

  /** The account of the notified contact; null if the contact has no account, or if `refId` is null. */
  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  userId: string | null;
}

/**
 * An unsent SMS alert to one contact. The row is deleted when the SMS is sent or abandoned. Times are Unix
 * milliseconds.
 */
@Entity({ name: 'alert_sms', schema: 'userctx' })
@Index('alert_sms_about', ['subjectId'])
@Index('alert_sms_due', ['dueAt'])
export class AlertSmsEntity {
  @PrimaryColumn({ name: 'alert_id', type: 'uuid', primaryKeyConstraintName: 'alert_sms_pkey' })
  alertId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  /** The contact that receives the SMS. */
  @Column({ name: 'ref_id', type: 'uuid' })
  refId: string;

  /** Id of the SOS that the alert is about. The alerts about one subject are cancelled together. */
  @Column({ name: 'about', type: 'uuid' })
  subjectId: string;

  @Column({ name: 'category', type: 'text' })
  category: CenterCategory;

  /** Time of the reported fact, for example when the SOS was raised. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'queued_at', type: 'bigint' })
  queuedAt: number;

  /** When a process may claim the alert to send it. A claim moves `dueAt` into the future. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** Number of times that the alert was claimed. */
  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts: number;

  /** The provider whose SMS did not reach the contact, so that another provider sends the alert; otherwise null. */
  @Column({ name: 'avoided_provider', type: 'text', nullable: true })
  avoidedProvider: SmsProviderName | null;
}
