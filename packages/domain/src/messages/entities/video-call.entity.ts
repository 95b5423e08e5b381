import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'video_call', schema: 'gateway' })
@Check('ck_video_call_due', `(due_at IS NOT NULL) = (state = ANY (ARRAY['RINGING'::text, 'ACCEPTED'::text]))`)
@Index('ix_video_call_age', ['createdAt'])
@Index('ix_video_call_check', ['checkedAt'], { where: 'due_at IS NOT NULL' })
@Index('ix_video_call_child', { synchronize: false }) // CREATE INDEX ix_video_call_child ON gateway.video_call USING btree (family_id, cid, created_at DESC, call_id DESC)
@Index('ix_video_call_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('ix_video_call_user', { synchronize: false }) // CREATE INDEX ix_video_call_user ON gateway.video_call USING btree (user_id, created_at DESC, call_id DESC)
@Index('uq_video_call_live_user', ['userId'], { unique: true, where: 'due_at IS NOT NULL' })
@Index('uq_video_call_live_watch', ['did'], { unique: true, where: 'due_at IS NOT NULL' })
export class VideoCallEntity {
  @PrimaryColumn({ name: 'call_id', type: 'uuid', primaryKeyConstraintName: 'pk_video_call' })
  callId: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;

  @Column({ name: 'cid', type: 'text' })
  cid: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'user_id', type: 'text' })
  userId: string;

  @Column({ name: 'direction', type: 'text' })
  direction: string;

  @Column({ name: 'caller_session', type: 'text' })
  callerSession: string;

  @Column({ name: 'accepted_session', type: 'text', nullable: true })
  acceptedSession: string | null;

  @Column({ name: 'provider', type: 'text' })
  provider: string;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'accepted_at', type: 'bigint', nullable: true })
  acceptedAt: number | null;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;

  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt: number | null;

  @Column({ name: 'checked_at', type: 'bigint' })
  checkedAt: number;

  @Column({ name: 'absent_since', type: 'bigint', nullable: true })
  absentSince: number | null;

  @Column({ name: 'revision', type: 'integer' })
  revision: number;

  @Column({ name: 'signals', type: 'integer' })
  signals: number;
}
