import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CallDirection, CallState, VideoProviderName } from '../contracts/video-call.js';

/**
 * A video call between a member and the watch of a child; also an entry of the call log. A call is live while its state
 * is RINGING or ACCEPTED. A watch and a user can each have one live call: a second call violates a unique index and is
 * stored as BUSY. Times are Unix milliseconds.
 */
@Entity({ schema: 'gateway', name: 'video_call' })
@Check('video_call_due_check', `(due_at IS NOT NULL) = (state = ANY (ARRAY['RINGING'::text, 'ACCEPTED'::text]))`)
@Index('video_call_age', ['createdAt'])
@Index('video_call_check', ['checkedAt'], { where: 'due_at IS NOT NULL' })
@Index('video_call_child', { synchronize: false })
@Index('video_call_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Index('video_call_user', { synchronize: false })
@Index('video_call_media', ['mediaEndDueAt'], { where: 'media_end_due_at IS NOT NULL' })
@Index('video_call_live_user', ['userId'], { unique: true, where: 'due_at IS NOT NULL' })
@Index('video_call_live_watch', ['did'], { unique: true, where: 'due_at IS NOT NULL' })
export class VideoCallEntity {
  @PrimaryColumn({ name: 'call_id', type: 'uuid', primaryKeyConstraintName: 'video_call_pkey' })
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

  /** The session that started the call. Only this session and `acceptedSession` receive signals and credentials. */
  @Column({ name: 'caller_session', type: 'text' })
  callerSession: string;

  /** The session that accepted the call; `null` if the call was not accepted. */
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

  /** When the service ends the call if its state has not changed: ring timeout or maximum duration; `null` if ended. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt: number | null;

  /**
   * When the service ends the room of the ended call on the media server; `null` if the call is live, has no room on a
   * server, or if its room has ended for good.
   */
  @Column({ name: 'media_end_due_at', type: 'bigint', nullable: true })
  mediaEndDueAt: number | null;

  /** When the room of the ended call was last found on the media server; `null` if it has not been found. */
  @Column({ name: 'media_found_at', type: 'bigint', nullable: true })
  mediaFoundAt: number | null;

  /** When a gateway process last checked whether both parties are connected. */
  @Column({ name: 'checked_at', type: 'bigint' })
  checkedAt: number;

  /** Time since which a party has been disconnected, as of the last check; `null` if both parties were connected. */
  @Column({ name: 'absent_since', type: 'bigint', nullable: true })
  absentSince: number | null;

  /** Number of notices about the call that were sent; part of the source of each notice, to make the source unique. */
  @Column({ name: 'revision', type: 'integer' })
  revision: number;

  /** Number of signals that the parties have exchanged. */
  @Column({ name: 'signals', type: 'integer' })
  signalCount: number;
}
