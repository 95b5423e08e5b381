import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Audience } from '../contracts/delivery-subject.js';
import type { CenterCategory } from '../contracts/message-center.js';

/** The lowest battery level of a watch at which an alert was raised and above which the battery has not risen since. */
@Entity({ schema: 'gateway', name: 'watch_battery' })
export class WatchBatteryEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'pk_watch_battery' })
  did: number;

  /** Percent. */
  @Column({ name: 'told', type: 'smallint' })
  alertedLevel: number;
}

/** An urgent alert for one member, until it is due or cancelled. Times are Unix milliseconds. */
@Entity({ schema: 'gateway', name: 'alert' })
@Index('ix_alert_about', ['alertKey'])
@Index('ix_alert_due', ['dueAt'])
export class AlertEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'pk_alert' })
  userId: string;

  /** The center message of the alert. */
  @PrimaryColumn({ name: 'message_id', type: 'uuid', primaryKeyConstraintName: 'pk_alert' })
  messageId: string;

  /** The notice of the alert in the member's mailbox. */
  @Column({ name: 'notice_id', type: 'uuid' })
  noticeId: string;

  @Column({ name: 'family_id', type: 'text' })
  familyId: string;

  @Column({ name: 'cid', type: 'text' })
  cid: string;

  @Column({ name: 'category', type: 'text' })
  category: CenterCategory;

  @Column({ name: 'audience', type: 'text' })
  audience: Audience;

  /** Key of the subject, such as an SOS, whose end cancels the alert; `null` if nothing cancels the alert. */
  @Column({ name: 'about', type: 'text', nullable: true })
  alertKey: string | null;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  /** When the alert is published as undelivered, unless a device or a push service has received it. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** A push service has accepted the notification. */
  @Column({ name: 'pushed', type: 'boolean', default: false })
  pushed: boolean;
}
