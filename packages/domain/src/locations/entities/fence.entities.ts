import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AttendanceWindow, FenceEventType, FenceNotifications, FenceShape } from '../contracts/fence.js';

/** A fence of a child. Times are Unix milliseconds. */
@Entity({ name: 'fence', schema: 'userctx' })
@Index('fence_child', ['cid', 'createdAt', 'fenceId'])
export class FenceEntity {
  @PrimaryColumn({ name: 'fence_id', type: 'uuid', primaryKeyConstraintName: 'fence_pkey' })
  fenceId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'shape', type: 'jsonb' })
  shape: FenceShape;

  @Column({ name: 'notify', type: 'jsonb' })
  notify: FenceNotifications;

  /** Seconds inside the fence after which DWELLED is reported. */
  @Column({ name: 'dwell', type: 'integer' })
  dwell: number;

  @Column({ name: 'windows', type: 'jsonb' })
  windows: AttendanceWindow[];

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;

  /** 1 for a new fence; increases with each change. */
  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** When the fence was last created, changed in shape or enabled. Fixes from before this time are not evaluated. */
  @Column({ name: 'active_from', type: 'bigint' })
  activeFrom: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/**
 * State of the evaluation of a child's fences. The row is retained when the child's last fence is deleted, so that
 * `version` never decreases. Times are Unix milliseconds.
 */
@Entity({ name: 'fence_watch', schema: 'userctx' })
@Index('fence_watch_due', { synchronize: false })
export class FenceMonitorEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'fence_watch_pkey' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Increases whenever the child's fences change. Cached compiled fences of an older version are invalid. */
  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** States of the fences as compact tuples (`StoredFenceState`). */
  @Column({ name: 'states', type: 'json' })
  states: unknown[];

  /** Time of the newest evaluated fix; null if no fix was evaluated. */
  @Column({ name: 'last_time', type: 'bigint', nullable: true })
  lastTime: number | null;

  /** When DWELLED is next due if the child stays inside; null if DWELLED is not due for any fence. */
  @Column({ name: 'next_dwell', type: 'bigint', nullable: true })
  nextDwellAt: number | null;

  /** Next deadline (`notArrivedBy`) of the fences' attendance windows; null if there is no deadline. */
  @Column({ name: 'next_arrival', type: 'bigint', nullable: true })
  nextArrivalDueAt: number | null;
}

/** A published fence event. Times are Unix milliseconds. */
@Entity({ name: 'fence_event', schema: 'userctx' })
@Check('fence_event_type_check', `type IN ('ENTERED', 'LEFT', 'DWELLED', 'NOT_ARRIVED', 'LEFT_EARLY')`)
@Index('fence_event_age', ['recordedAt'])
@Index('fence_event_list', { synchronize: false })
export class FenceEventEntity {
  @PrimaryColumn({ name: 'fence_event_id', type: 'uuid', primaryKeyConstraintName: 'fence_event_pkey' })
  fenceEventId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The watch that was bound to the child. */
  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'fence_id', type: 'uuid' })
  fenceId: string;

  /** Name of the fence when the event was published. */
  @Column({ name: 'fence_name', type: 'text' })
  fenceName: string;

  @Column({ name: 'type', type: 'text' })
  type: FenceEventType;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** Whether the event was detected long after its time. */
  @Column({ name: 'late', type: 'boolean' })
  late: boolean;

  @Column({ name: 'recorded_at', type: 'bigint' })
  recordedAt: number;
}
