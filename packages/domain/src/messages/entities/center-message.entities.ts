import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type {
  Audience,
  CenterCategory,
  CenterMessageParams,
  CenterMessageType,
  Severity,
} from '../contracts/message-center.js';
import type { Subscription } from '../contracts/subscription.js';

/** A recipient of center messages. The row is locked while the recipient's messages and unread count change. */
@Entity({ schema: 'gateway', name: 'center_reader' })
export class CenterRecipientEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'center_reader_pkey' })
  userId: string;

  /** The user's preferences; `null` if the user never changed the defaults. */
  @Column({ name: 'subscription', type: 'jsonb', nullable: true })
  subscription: Subscription | null;
}

/** A message in the message centre of one user. */
@Entity({ schema: 'gateway', name: 'center_message' })
@Index('center_message_age', ['time'])
@Index('center_message_family', ['familyId', 'cid'])
@Index('center_message_time', { synchronize: false })
@Index('center_message_unread', ['userId'], { where: 'NOT read' })
export class CenterMessageEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'center_message_pkey' })
  userId: string;

  @PrimaryColumn({ name: 'message_id', type: 'uuid', primaryKeyConstraintName: 'center_message_pkey' })
  messageId: string;

  @Column({ name: 'category', type: 'text' })
  category: CenterCategory;

  @Column({ name: 'severity', type: 'text' })
  severity: Severity;

  @Column({ name: 'type', type: 'text' })
  type: CenterMessageType;

  @Column({ name: 'params', type: 'json' })
  params: CenterMessageParams;

  /** `null` if the message belongs to no family. */
  @Column({ name: 'family_id', type: 'text', nullable: true })
  familyId: string | null;

  /** `null` if the message is about no child. */
  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  /** `null` if the message is about no watch. */
  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  @Column({ name: 'audience', type: 'text' })
  audience: Audience;

  /** Unix milliseconds. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'read', type: 'boolean', default: false })
  read: boolean;
}

/** The members of a family when members were last notified of who joined or left. Used to detect the next change. */
@Entity({ schema: 'gateway', name: 'center_family' })
export class NotifiedFamilyEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'center_family_pkey' })
  familyId: string;

  /** Version of the family snapshot with these members. */
  @Column({ name: 'version', type: 'bigint' })
  version: number;

  /** Ids of the members. */
  @Column({ name: 'members', type: 'text', array: true })
  members: string[];
}

/**
 * The lowest battery level of a watch at which an alert was raised. It is stored until the battery has risen above this
 * level again; until then, only a lower level raises another alert.
 */
@Entity({ schema: 'gateway', name: 'watch_battery' })
export class WatchBatteryEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'watch_battery_pkey' })
  did: number;

  /** Alert level in per cent. */
  @Column({ name: 'told', type: 'smallint' })
  alertedLevel: number;
}

/**
 * An urgent alert for one member, stored until it is due or cancelled. If no device has received the alert when it is
 * due, it is published as undelivered. Times are Unix milliseconds.
 */
@Entity({ schema: 'gateway', name: 'alert' })
@Index('alert_about', ['alertKey'])
@Index('alert_due', ['dueAt'])
@Index('alert_family', ['familyId'])
export class AlertEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'alert_pkey' })
  userId: string;

  /** The center message of the alert. */
  @PrimaryColumn({ name: 'message_id', type: 'uuid', primaryKeyConstraintName: 'alert_pkey' })
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

  /** When the alert is published as undelivered unless a device or a push service has received it. */
  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  /** True if a push service has accepted the notification of the alert. */
  @Column({ name: 'pushed', type: 'boolean', default: false })
  pushed: boolean;
}
