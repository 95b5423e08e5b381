import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { IdentityType } from '../contracts/contact.js';
import { WatchEntity } from '../../watches/entities/watch.entities.js';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import type { JoinRequestState, InvitationState } from '../contracts/family.js';
import { FamilyEntity } from './family.entities.js';

/**
 * The current family code of a watch, which a person enters to request to join the family. The code is invalid if the
 * watch has since been bound to another child. At most one row per watch.
 */
@Entity({ name: 'family_code', schema: 'userctx' })
@Unique('family_code_digest_key', ['codeDigest'])
@ForeignKey(() => WatchEntity, ['did'], ['did'], { name: 'family_code_watch_fkey', onDelete: 'CASCADE' })
@Index('family_code_expires', ['expiresAt'])
export class FamilyCodeEntity {
  @PrimaryColumn({ name: 'did', type: 'bigint', primaryKeyConstraintName: 'family_code_pkey' })
  did: number;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Keyed digest of the code; the code itself is not stored. */
  @Column({ name: 'code_digest', type: 'bytea' })
  codeDigest: Buffer;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}

/**
 * A person's request to join a family, in any state. At most one row per family and person, so that a rejection is
 * retained over further requests. Times are Unix milliseconds.
 */
@Entity({ name: 'family_application', schema: 'userctx' })
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], {
  name: 'family_application_family_fkey',
  onDelete: 'CASCADE',
})
@Unique('family_application_once_key', ['familyId', 'applicantUserId'])
@Check('family_application_state_check', `state IN ('PENDING', 'APPROVED', 'REJECTED', 'CANCELLED', 'EXPIRED')`)
@Index('family_application_child', ['cid'], { where: 'cid IS NOT NULL' })
@Index('family_application_due', ['expiresAt'], { where: `state = 'PENDING'` })
@Index('family_application_list', ['familyId', 'createdAt', 'applicationId'])
@Index('family_application_over', ['changedAt'], {
  where: `state IN ('APPROVED', 'CANCELLED', 'EXPIRED')`,
})
@Index('family_application_own', ['applicantUserId', 'createdAt', 'applicationId'])
export class JoinRequestEntity {
  @PrimaryColumn({ name: 'application_id', type: 'uuid', primaryKeyConstraintName: 'family_application_pkey' })
  applicationId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'applicant_user_id', type: 'uuid' })
  applicantUserId: string;

  @Column({ name: 'state', type: 'text' })
  state: JoinRequestState;

  /** The child whose watch showed the code; null with an invitation and for an erased child. */
  @Column({ name: 'cid', type: 'uuid', nullable: true })
  cid: string | null;

  /** The watch that showed the code; null if `cid` is null. */
  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  /** The invitation whose code the person used; null if the person used the family code of a watch. */
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
  identityType: IdentityType;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;

  /** When the state last changed. */
  @Column({ name: 'changed_at', type: 'bigint' })
  changedAt: number;
}

/** An invitation to a family. Only the digest of the invitation's code is stored. */
@Entity({ schema: 'userctx', name: 'family_invitation' })
@Check('family_invitation_role_check', 'role BETWEEN 2 AND 4')
@Check('family_invitation_state_check', `state IN ('PENDING', 'ACCEPTED', 'CANCELLED')`)
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], {
  name: 'family_invitation_family_fkey',
  onDelete: 'CASCADE',
})
@Index('family_invitation_accepted_by', ['acceptedBy'], { where: 'accepted_by IS NOT NULL' })
@Index('family_invitation_pending', ['familyId'], { where: `state = 'PENDING'` })
@Unique('family_invitation_code_key', ['codeDigest'])
export class FamilyInvitationEntity {
  @PrimaryColumn({ name: 'invitation_id', type: 'uuid', primaryKeyConstraintName: 'family_invitation_pkey' })
  invitationId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** SHA-256 of the code, lower-case hex. */
  @Column({ name: 'code_digest', type: 'text' })
  codeDigest: string;

  @Column({ name: 'role', type: 'smallint' })
  role: FamilyRole;

  @Column({ name: 'permissions', type: 'text', array: true })
  permissions: ChildPermission[];

  @Column({ name: 'child_permissions', type: 'jsonb', default: {} })
  childPermissions: Record<string, ChildPermission[]>;

  @Column({ name: 'appellation', type: 'text', nullable: true })
  appellation: string | null;

  @Column({ name: 'identity_type', type: 'smallint', default: 0 })
  identityType: number;

  @Column({ name: 'state', type: 'text', default: 'PENDING' })
  state: InvitationState;

  @Column({ name: 'accepted_by', type: 'uuid', nullable: true })
  acceptedBy: string | null;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
