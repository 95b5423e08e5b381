import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
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
  shape: unknown;

  @Column({ name: 'notify', type: 'jsonb' })
  notify: unknown;

  @Column({ name: 'dwell', type: 'integer' })
  dwell: number;

  @Column({ name: 'windows', type: 'jsonb' })
  windows: unknown;

  @Column({ name: 'enabled', type: 'boolean' })
  enabled: boolean;

  @Column({ name: 'version', type: 'integer' })
  version: number;

  @Column({ name: 'active_from', type: 'bigint' })
  activeFrom: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}

/** TODO */
@Entity({ name: 'fence_watch', schema: 'userctx' })
@Index('fence_watch_due', { synchronize: false }) // CREATE INDEX fence_watch_due ON userctx.fence_watch USING btree (LEAST(next_dwell, next_arrival))
export class FenceTrackEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'fence_watch_pk' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'version', type: 'integer' })
  version: number;

  @Column({ name: 'states', type: 'json' })
  states: unknown;

  @Column({ name: 'last_time', type: 'bigint', nullable: true })
  lastTime: number | null;

  @Column({ name: 'next_dwell', type: 'bigint', nullable: true })
  nextDwell: number | null;

  @Column({ name: 'next_arrival', type: 'bigint', nullable: true })
  nextArrival: number | null;
}

/** TODO */
@Entity({ name: 'fence_event', schema: 'userctx' })
@Check(
  'fence_event_type_check',
  `type = ANY (ARRAY['ENTERED'::text, 'LEFT'::text, 'DWELLED'::text, 'NOT_ARRIVED'::text, 'LEFT_EARLY'::text])`,
)
@Index('fence_event_age', ['recordedAt'])
@Index('fence_event_list', { synchronize: false }) // CREATE INDEX fence_event_list ON userctx.fence_event USING btree (cid, "time" DESC, fence_event_id DESC)
export class FenceEventEntity {
  @PrimaryColumn({ name: 'fence_event_id', type: 'uuid', primaryKeyConstraintName: 'fence_event_pk' })
  fenceEventId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'fence_id', type: 'uuid' })
  fenceId: string;

  @Column({ name: 'fence_name', type: 'text' })
  fenceName: string;

  @Column({ name: 'type', type: 'text' })
  type: string;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'late', type: 'boolean' })
  late: boolean;

  @Column({ name: 'recorded_at', type: 'bigint' })
  recordedAt: number;
}
