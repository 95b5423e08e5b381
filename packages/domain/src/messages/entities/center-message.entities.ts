import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'center_reader', schema: 'gateway' })
export class CenterRecipientEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'pk_center_reader' })
  userId: string;

  @Column({ name: 'subscription', type: 'jsonb', nullable: true })
  subscription: unknown | null;
}

/** TODO */
@Entity({ name: 'center_message', schema: 'gateway' })
@Index('ix_center_message_age', ['time'])
@Index('ix_center_message_family', ['familyId', 'cid'])
@Index('ix_center_message_time', { synchronize: false }) // CREATE INDEX ix_center_message_time ON gateway.center_message USING btree (user_id, "time" DESC, message_id DESC)
@Index('ix_center_message_unread', ['userId'], { where: 'NOT read' })
export class CenterMessageEntity {
  @PrimaryColumn({ name: 'user_id', type: 'text', primaryKeyConstraintName: 'pk_center_message' })
  userId: string;

  @PrimaryColumn({ name: 'message_id', type: 'uuid', primaryKeyConstraintName: 'pk_center_message' })
  messageId: string;

  @Column({ name: 'category', type: 'text' })
  category: string;

  @Column({ name: 'severity', type: 'text' })
  severity: string;

  @Column({ name: 'type', type: 'text' })
  type: string;

  @Column({ name: 'params', type: 'json' })
  params: unknown;

  @Column({ name: 'family_id', type: 'text', nullable: true })
  familyId: string | null;

  @Column({ name: 'cid', type: 'text', nullable: true })
  cid: string | null;

  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  @Column({ name: 'audience', type: 'text' })
  audience: string;

  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'read', type: 'boolean', default: false })
  read: boolean;
}

/** TODO */
@Entity({ name: 'center_family', schema: 'gateway' })
export class NotifiedFamilyEntity {
  @PrimaryColumn({ name: 'family_id', type: 'text', primaryKeyConstraintName: 'pk_center_family' })
  familyId: string;

  @Column({ name: 'version', type: 'bigint' })
  version: number;

  @Column({ name: 'members', type: 'text', array: true })
  members: string[];
}
