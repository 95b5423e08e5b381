import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique, Check } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import type { OwnershipClaimState } from '../contracts/family.js';

/**
 * A family. The foreign key to the members ensures that the owner of a family is a member with the role OWNER; it does
 * not apply to a dissolved family. A person owns at most one family that is not dissolved.
 */
@Entity({ schema: 'userctx', name: 'family' })
@ForeignKey('FamilyMemberEntity', ['familyId', 'ownerUserId', 'ownerRole'], ['familyId', 'userId', 'role'], {
  name: 'family_owner_is_member_fkey',
  deferrable: 'INITIALLY DEFERRED',
})
@Index('family_created', ['createdAt', 'familyId'])
@Index('family_dissolved', ['dissolvedAt'], { where: 'dissolved_at IS NOT NULL' })
@Index('family_owner_key', ['ownerUserId'], { unique: true, where: 'dissolved_at IS NULL' })
export class FamilyEntity {
  @PrimaryColumn({ name: 'family_id', type: 'uuid', primaryKeyConstraintName: 'family_pkey' })
  familyId: string;

  @Column({ name: 'owner_user_id', type: 'uuid' })
  ownerUserId: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Increases with every change of members, children or watches. */
  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /**
   * Unix milliseconds; `null` unless the family is dissolved. A dissolved family has no members. Its former owner can
   * restore it.
   */
  @Column({ name: 'dissolved_at', type: 'bigint', nullable: true })
  dissolvedAt: number | null;

  /**
   * The role OWNER, or null for a dissolved family. The database computes this column for the foreign key to the
   * members; the app never reads the column.
   */
  @Column({
    name: 'owner_role',
    type: 'smallint',
    nullable: true,
    asExpression: 'CASE WHEN dissolved_at IS NULL THEN 1::smallint END',
    generatedType: 'STORED',
    select: false,
    insert: false,
    update: false,
  })
  readonly ownerRole?: number | null;
}

/** A child of a family, and the watch bound to the child. */
@Entity({ schema: 'userctx', name: 'family_child' })
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], { name: 'family_child_family_fkey', onDelete: 'CASCADE' })
@Index('family_child_family', ['familyId'])
@Unique('family_child_did_key', ['did'])
export class FamilyChildEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'family_child_pkey' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** Null while no watch is bound. */
  @Column({ name: 'did', type: 'bigint', nullable: true })
  did: number | null;

  /** Unix milliseconds. */
  @Column({ name: 'added_at', type: 'bigint' })
  addedAt: number;
}

/** A member of a family: role, permissions for the children, and what the children call this person. */
@Entity({ schema: 'userctx', name: 'family_member' })
@Check('family_member_role_check', 'role BETWEEN 1 AND 4')
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], { name: 'family_member_family_fkey', onDelete: 'CASCADE' })
@Index('family_member_one_owner', ['familyId'], { unique: true, where: 'role = 1' })
@Index('family_member_user', ['userId'])
@Unique('family_member_role_key', ['familyId', 'userId', 'role'])
export class FamilyMemberEntity {
  @PrimaryColumn({ name: 'family_id', type: 'uuid', primaryKeyConstraintName: 'family_member_pkey' })
  familyId: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'family_member_pkey' })
  userId: string;

  @Column({ name: 'role', type: 'smallint' })
  role: FamilyRole;

  /** Permissions for every child without an entry in `childPermissions`. */
  @Column({ name: 'permissions', type: 'text', array: true })
  permissions: ChildPermission[];

  /** Permissions for individual children, by `cid`. */
  @Column({ name: 'child_permissions', type: 'jsonb', default: {} })
  childPermissions: Record<string, ChildPermission[]>;

  /** Name of the account when the person joined, like the phone number; copied to the children's contact lists. */
  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  /** What the children call this person; the contact list of a child may contain another appellation. */
  @Column({ name: 'appellation', type: 'text' })
  appellation: string;

  @Column({ name: 'identity_type', type: 'smallint', default: 0 })
  identityType: number;

  @Column({ name: 'version', type: 'integer', default: 1 })
  version: number;

  /** Unix milliseconds. */
  @Column({ name: 'joined_at', type: 'bigint' })
  joinedAt: number;
}

/**
 * A guardian's claim to the ownership of a family. A family has at most one open claim. Times are Unix milliseconds.
 */
@Entity({ name: 'ownership_claim', schema: 'userctx' })
@Check('ownership_claim_end_check', `(state = 'OPEN') = (ended_at IS NULL)`)
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], {
  name: 'ownership_claim_family_fkey',
  onDelete: 'CASCADE',
})
@Check('ownership_claim_state_check', `state IN ('OPEN', 'REFUSED', 'WITHDRAWN', 'GRANTED')`)
@Index('ownership_claim_claimant', ['claimantUserId'])
@Index('ownership_claim_due', ['deadline'], { where: `state = 'OPEN'` })
@Index('ownership_claim_ended_by', ['endedBy'], { where: 'ended_by IS NOT NULL' })
@Index('ownership_claim_list', ['familyId', 'createdAt', 'claimId'])
@Index('ownership_claim_one_open', ['familyId'], { unique: true, where: `state = 'OPEN'` })
export class OwnershipClaimEntity {
  @PrimaryColumn({ name: 'claim_id', type: 'uuid', primaryKeyConstraintName: 'ownership_claim_pkey' })
  claimId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'claimant_user_id', type: 'uuid' })
  claimantUserId: string;

  @Column({ name: 'state', type: 'text' })
  state: OwnershipClaimState;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** The claim is granted at this time unless it is refused or withdrawn before. */
  @Column({ name: 'deadline', type: 'bigint' })
  deadline: number;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;

  /** Principal that ended the claim; null while the claim is open, and if the service ended the claim. */
  @Column({ name: 'ended_by', type: 'text', nullable: true })
  endedBy: PrincipalKey | null;
}
