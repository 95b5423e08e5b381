import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a watch last said of itself; null is unknown. */
@Entity({ name: 'watch_status', schema: 'userctx' })
export class WatchStatusEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'watch_status_pk' })
  did: number;

  @Column({ name: 'battery', type: 'integer', nullable: true })
  battery: number | null;

  @Column({ name: 'charging', type: 'boolean', nullable: true })
  charging: boolean | null;

  @Column({ name: 'worn', type: 'boolean', nullable: true })
  worn: boolean | null;

  @Column({ name: 'signal', type: 'integer', nullable: true })
  signal: number | null;

  @Column({ name: 'signal_max', type: 'integer', nullable: true })
  signalMax: number | null;

  @Column({ name: 'step_total', type: 'bigint', nullable: true })
  stepTotal: number | null;

  /** When the counter showed that. */
  @Column({ name: 'steps_at', type: 'bigint', nullable: true })
  stepsAt: number | null;

  @Column({ name: 'firmware_version', type: 'text', nullable: true })
  firmwareVersion: string | null;

  /** When the values above were said; null when the watch only started or stopped so far. */
  @Column({ name: 'reported_at', type: 'bigint', nullable: true })
  reportedAt: number | null;

  @Column({ name: 'last_seen', type: 'bigint' })
  lastSeen: number;

  /** Null while the gateway has never told. */
  @Column({ type: 'boolean', nullable: true })
  online: boolean | null;

  /** Since when it has been so. */
  @Column({ name: 'presence_at', type: 'bigint', nullable: true })
  presenceAt: number | null;
}
