import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { WatchEntity } from '../../watches/entities/watch.entity.js';
import { FamilyEntity } from './family.entity.js';

/** TODO */
@Entity({ name: 'family_code', schema: 'userctx' })
@Unique('family_code_digest_unique', ['codeDigest'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'family_code_watch', onDelete: 'CASCADE' })
@Index('family_code_expires', ['expiresAt'])
export class FamilyCodeEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'family_code_pk' })
  did: number;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'code_digest', type: 'bytea' })
  codeDigest: Buffer;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}

/** TODO */
@Entity({ name: 'family_application', schema: 'userctx' })
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], {
  name: 'family_application_family_fk',
  onDelete: 'CASCADE',
})
@Unique('family_application_once', ['familyId', 'applicantUserId'])
@Check(
  'family_application_state_check',
  `state = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'CANCELLED'::text, 'EXPIRED'::text])`,
)
@Index('family_application_child', ['cid'], { where: 'cid IS NOT NULL' })
@Index('family_application_due', ['expiresAt'], { where: `state = 'PENDING'::text` })
@Index('family_application_list', ['familyId', 'createdAt', 'applicationId'])
@Index('family_application_over', ['changedAt'], {
  where: `state = ANY (ARRAY['APPROVED'::text, 'CANCELLED'::text, 'EXPIRED'::text])`,
})
@Index('family_application_own', ['applicantUserId', 'createdAt', 'applicationId'])
export class JoinRequestEntity {
  @PrimaryColumn({ name: 'application_id', type: 'uuid', primaryKeyConstraintName: 'family_application_pk' })
  applicationId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'applicant_user_id', type: 'uuid' })
  applicantUserId: string;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'cid', type: 'uuid', nullable: true })
  cid: string | null;

  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  @Column({ name: 'invitation_id', type: 'uuid', nullable: true })
  invitationId: string | null;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  @Column({ name: 'appellation', type: 'text' })
  appellation: string;

  @Column({ name: 'identity_type', type: 'smallint' })
  identityType: number;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;
}
