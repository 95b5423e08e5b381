import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'sos_raise', schema: 'userctx' })
@ForeignKey(() => SosEntity, ['sosId'], ['sosId'], { name: 'sos_raise_sos', onDelete: 'CASCADE' })
@Index('sos_raise_of_sos', ['sosId'])
export class SosRaiseEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'sos_raise_pk' })
  did: number;

  @PrimaryColumn({ name: 'time', type: 'bigint', primaryKeyConstraintName: 'sos_raise_pk' })
  time: number;

  @Column({ name: 'sos_id', type: 'uuid' })
  sosId: string;
}

/** TODO */
@Entity({ name: 'sos', schema: 'userctx' })
@Check(
  'sos_state_check',
  `state = ANY (ARRAY['RAISED'::text, 'NOTIFYING'::text, 'ACKNOWLEDGED'::text, 'RESOLVED'::text])`,
)
@Index('sos_age', ['raisedAt'], { where: `state = 'RESOLVED'::text` })
@Index('sos_due', ['nextStepAt'], { where: 'next_step_at IS NOT NULL' })
@Index('sos_of_child', { synchronize: false }) // CREATE INDEX sos_of_child ON userctx.sos USING btree (cid, raised_at DESC, sos_id DESC)
@Index('sos_one_active', ['cid'], { unique: true, where: `state <> 'RESOLVED'::text` })
export class SosEntity {
  @PrimaryColumn({ name: 'sos_id', type: 'uuid', primaryKeyConstraintName: 'sos_pk' })
  sosId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'raised_at', type: 'bigint' })
  raisedAt: number;

  @Column({ name: 'last_raised_at', type: 'bigint' })
  lastRaisedAt: number;

  @Column({ name: 'location', type: 'jsonb', nullable: true })
  location: unknown | null;

  @Column({ name: 'acknowledged_by', type: 'text', nullable: true })
  acknowledgedBy: string | null;

  @Column({ name: 'acknowledged_at', type: 'bigint', nullable: true })
  acknowledgedAt: number | null;

  @Column({ name: 'resolved_by', type: 'text', nullable: true })
  resolvedBy: string | null;

  @Column({ name: 'resolved_at', type: 'bigint', nullable: true })
  resolvedAt: number | null;

  @Column({ name: 'next_step_at', type: 'bigint', nullable: true })
  nextStepAt: number | null;
}

/** TODO */
@Entity({ name: 'sos_step', schema: 'userctx' })
@Check('sos_step_channel_check', `channel = ANY (ARRAY['APP'::text, 'SMS'::text])`)
@ForeignKey(() => SosEntity, ['sosId'], ['sosId'], { name: 'sos_step_sos', onDelete: 'CASCADE' })
@Index('sos_step_one_turn', ['sosId', 'refId'], {
  unique: true,
  where: `(channel = 'SMS'::text) AND (ref_id IS NOT NULL)`,
})
export class SosStepEntity {
  @PrimaryColumn({ name: 'sos_id', type: 'uuid', primaryKeyConstraintName: 'sos_step_pk' })
  sosId: string;

  @PrimaryColumn({ name: 'step', type: 'integer', primaryKeyConstraintName: 'sos_step_pk' })
  step: number;

  @PrimaryColumn({ name: 'channel', type: 'text', primaryKeyConstraintName: 'sos_step_pk' })
  channel: string;

  @Column({ name: 'at', type: 'bigint' })
  at: number;

  @Column({ name: 'ref_id', type: 'uuid', nullable: true })
  refId: string | null;

  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  userId: string | null;
}

/** TODO */
@Entity({ name: 'alert_sms', schema: 'userctx' })
@Index('alert_sms_about', ['about'])
@Index('alert_sms_due', ['dueAt'])
export class AlertSmsEntity {
  @PrimaryColumn({ name: 'alert_id', type: 'uuid', primaryKeyConstraintName: 'alert_sms_pk' })
  alertId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'ref_id', type: 'uuid' })
  refId: string;

  @Column({ name: 'about', type: 'uuid' })
  about: string;

  @Column({ name: 'category', type: 'text' })
  category: string;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'queued_at', type: 'bigint' })
  queuedAt: number;

  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  @Column({ name: 'attempts', type: 'smallint', default: 0 })
  attempts: number;
}
