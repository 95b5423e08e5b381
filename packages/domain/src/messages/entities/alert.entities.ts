import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'watch_battery', schema: 'gateway' })
export class WatchBatteryEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'pk_watch_battery' })
  did: number;

  @Column({ name: 'told', type: 'smallint' })
  told: number;
}

/** TODO */
@Entity({ name: 'alert', schema: 'gateway' })
@Index('ix_alert_about', ['about'])
@Index('ix_alert_due', ['dueAt'])
export class AlertEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'pk_alert' })
  userId: string;

  @PrimaryColumn({ name: 'message_id', type: 'uuid', primaryKeyConstraintName: 'pk_alert' })
  messageId: string;

  @Column({ name: 'notice_id', type: 'uuid' })
  noticeId: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;

  @Column({ name: 'cid', type: 'text' })
  cid: string;

  @Column({ name: 'category', type: 'text' })
  category: string;

  @Column({ name: 'audience', type: 'text' })
  audience: string;

  @Column({ name: 'about', type: 'text', nullable: true })
  about: string | null;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  @Column({ name: 'pushed', type: 'boolean', default: false })
  pushed: boolean;
}
