import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { AttendanceWindow, FenceEventType, FenceNotifications, FenceShape } from '../contracts/fence.js';

/** A fence of a child. Times are Unix milliseconds. */
@Entity({ name: 'fence', schema: 'userctx' })
@Index('fence_child', ['cid', 'createdAt', 'fenceId'])
export class FenceEntity {
  @PrimaryColumn({ name: 'fence_id', type: 'uuid', primaryKeyConstraintName: 'fence_pk' })
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

  /** When the fence was created, moved or enabled. Earlier fixes are not evaluated. */
  @Column({ name: 'active_from', type: 'bigint' })
  activeFrom: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/**
 * State of the evaluation of a child's fences. A row exists for each child that has or had fences; it stays when the
 * last fence is deleted, so that versions are never reused. Times are Unix milliseconds.
 */
@Entity({ name: 'fence_watch', schema: 'userctx' })
@Index('fence_watch_due', { synchronize: false })
export class FenceMonitorEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'fence_watch_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Increases whenever the child's fences change, and invalidates compiled fences. */
  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** States of the fences as compact tuples (`StoredFenceState`). */
  @Column({ name: 'states', type: 'json' })
  states: unknown[];

  /** Time of the newest evaluated fix; null before the first. */
  @Column({ name: 'last_time', type: 'bigint', nullable: true })
  lastTime: number | null;

  /** When a stay inside a fence next reaches the fence's dwell time; null if no stay can. */
  @Column({ name: 'next_dwell', type: 'bigint', nullable: true })
  nextDwellAt: number | null;

  /** When the child must next have arrived inside a fence; null if no window requires it. */
  @Column({ name: 'next_arrival', type: 'bigint', nullable: true })
  nextArrivalDueAt: number | null;
}

/** A published fence event. Times are Unix milliseconds. */
@Entity({ name: 'fence_event', schema: 'userctx' })
@Check('fence_event_type_check', `type IN ('ENTERED', 'LEFT', 'DWELLED', 'NOT_ARRIVED', 'LEFT_EARLY')`)
@Index('fence_event_age', ['recordedAt'])
@Index('fence_event_list', { synchronize: false })
export class FenceEventEntity {
  @PrimaryColumn({ name: 'fence_event_id', type: 'uuid', primaryKeyConstraintName: 'fence_event_pk' })
  fenceEventId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The watch that acted as the child. */
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
