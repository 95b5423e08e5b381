import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { WatchEntity } from './watch.entity.js';

/** The last reported status of a watch; null means unknown. */
@Entity({ name: 'watch_status', schema: 'userctx' })
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'watch_status_watch', onDelete: 'CASCADE' })
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

  /** Time at which the watch read its step counter. */
  @Column({ name: 'steps_at', type: 'bigint', nullable: true })
  stepsAt: number | null;

  @Column({ name: 'firmware_version', type: 'text', nullable: true })
  firmwareVersion: string | null;

  /** Time of the last reported status; null if the watch has only reported starts and shutdowns. */
  @Column({ name: 'reported_at', type: 'bigint', nullable: true })
  reportedAt: number | null;

  @Column({ name: 'last_seen', type: 'bigint' })
  lastSeen: number;

  /** True while the watch is online; null before the first presence event from the gateway. */
  @Column({ type: 'boolean', nullable: true })
  online: boolean | null;

  /** Time since which `online` has its present value. */
  @Column({ name: 'presence_at', type: 'bigint', nullable: true })
  presenceAt: number | null;
}
