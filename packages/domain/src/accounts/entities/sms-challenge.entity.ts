import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { SmsScene } from '../contracts/sms-scene.js';

/** The current code of a phone number and scene. A new code replaces the row of the previous code. */
@Entity({ schema: 'userctx', name: 'sms_challenge' })
@Unique('sms_challenge_id_unique', ['challengeId'])
@Check('sms_challenge_tries_bounded', 'tries BETWEEN 0 AND 5')
@Index('sms_challenge_age', ['createdAt'])
export class SmsChallengeEntity {
  @PrimaryColumn('text', { name: 'area_code', primaryKeyConstraintName: 'sms_challenge_pkey' })
  areaCode!: string;

  @PrimaryColumn('text', { name: 'phone_number', primaryKeyConstraintName: 'sms_challenge_pkey' })
  phoneNumber!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'sms_challenge_pkey' })
  scene!: SmsScene;

  @Column('uuid', { name: 'challenge_id' })
  challengeId!: string;

  /** Keyed digest of challenge id and code. */
  @Column('bytea')
  digest!: Buffer;

  /** Number of attempts, including successful ones. */
  @Column('smallint', { default: 0 })
  tries!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;

  /** Unix milliseconds of the operation that used the code; a code is valid for one operation. */
  @Column('bigint', { name: 'consumed_at', nullable: true })
  consumedAt!: number | null;
}
