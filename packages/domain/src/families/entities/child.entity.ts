import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Gender } from '../contracts/child.js';

/** A child (specification 2.5). */
@Entity({ schema: 'userctx', name: 'child' })
@Check('child_gender_check', 'gender IN (0, 2, 3)')
@Check('child_height_check', 'height BETWEEN 100 AND 200')
@Check('child_weight_check', 'weight BETWEEN 100 AND 200')
@Index('child_deleted', ['deletedAt'], { where: 'deleted_at IS NOT NULL' })
@Index('child_did_at_deletion', ['didAtDeletion'], { where: 'did_at_deletion IS NOT NULL' })
@Index('child_family', ['familyId'])
export class ChildEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'child_pkey' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  /** Country calling code, with `+`. */
  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'avatar', type: 'text', nullable: true })
  avatar: string | null;

  @Column({ name: 'birthday', type: 'text', nullable: true })
  birthday: string | null;

  @Column({ name: 'appellation', type: 'text' })
  appellation: string;

  @Column({ name: 'gender', type: 'smallint' })
  gender: Gender;

  @Column({ name: 'weight', type: 'smallint' })
  weight: number;

  @Column({ name: 'height', type: 'smallint' })
  height: number;

  /** IANA time zone. */
  @Column({ name: 'time_zone', type: 'text' })
  timeZone: string;

  /** Steps per day; null without a goal. */
  @Column({ name: 'step_goal', type: 'integer', nullable: true })
  stepGoal: number | null;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds; `null` unless the child is deleted. */
  @Column({ name: 'deleted_at', type: 'bigint', nullable: true })
  deletedAt: number | null;

  /** Watch that was unbound when the child was deleted; `null` without a watch, and unless the child is deleted. */
  @Column({ name: 'did_at_deletion', type: 'bigint', nullable: true })
  didAtDeletion: number | null;
}
