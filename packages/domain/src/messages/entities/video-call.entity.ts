import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CallDirection, CallState, VideoProviderName } from '../contracts/video-call.js';

/**
 * A video call between a member and the watch of a child, also an entry of the call log. A watch and a user can each
 * have one live call: a second call conflicts with the row of the first one and becomes BUSY. Times are Unix
 * milliseconds.
 */
@Entity({ schema: 'gateway', name: 'video_call' })
@Check('ck_video_call_due', `(due_at IS NOT NULL) = (state = ANY (ARRAY['RINGING'::text, 'ACCEPTED'::text]))`)
@Index('ix_video_call_age', ['createdAt'])
@Index('ix_video_call_check', ['checkedAt'], { where: 'due_at IS NOT NULL' })
@Index('ix_video_call_child', { synchronize: false })
@Index('ix_video_call_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('ix_video_call_user', { synchronize: false })
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
  direction: CallDirection;

  /** The session that called. Only the calling and the accepting session receive media credentials and signals. */
  @Column({ name: 'caller_session', type: 'text' })
  callerSession: string;

  /** `null` until the call is accepted. */
  @Column({ name: 'accepted_session', type: 'text', nullable: true })
  acceptedSession: string | null;

  @Column({ name: 'provider', type: 'text' })
  provider: VideoProviderName;

  @Column({ name: 'state', type: 'text' })
  state: CallState;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** `null` until the call is accepted. */
  @Column({ name: 'accepted_at', type: 'bigint', nullable: true })
  acceptedAt: number | null;

  /** `null` while the call is live. */
  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;

  /** When the call times out in its current state; `null` after the call has ended. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt: number | null;

  /** When a node last checked whether the parties are connected. */
  @Column({ name: 'checked_at', type: 'bigint' })
  checkedAt: number;

  /** Time since which a party has been disconnected, as of the last check; `null` if both parties were connected. */
  @Column({ name: 'absent_since', type: 'bigint', nullable: true })
  absentSince: number | null;

  /** Number of notices about the call; makes each notice's source unique. */
  @Column({ name: 'revision', type: 'integer' })
  revision: number;

  /** Number of signals that the parties have exchanged. */
  @Column({ name: 'signals', type: 'integer' })
  signalCount: number;
}
