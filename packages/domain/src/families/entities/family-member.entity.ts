import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import { FamilyEntity } from './family.entity.js';

/** A person in a family: role, permissions for the children, and the name by which the children call this person. */
@Entity({ schema: 'userctx', name: 'family_member' })
@Check('family_member_role_check', 'role BETWEEN 1 AND 4')
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], { name: 'family_member_family_fk', onDelete: 'CASCADE' })
@Index('family_member_one_owner', ['familyId'], { unique: true, where: 'role = 1' })
@Index('family_member_user', ['userId'])
@Unique('family_member_role_key', ['familyId', 'userId', 'role'])
export class FamilyMemberEntity {
  @PrimaryColumn({ name: 'family_id', type: 'uuid', primaryKeyConstraintName: 'family_member_pk' })
  familyId: string;

  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'family_member_pk' })
  userId: string;

  @Column({ name: 'role', type: 'smallint' })
  role: FamilyRole;

  /** Permissions for every child without an entry in `childPermissions`. */
  @Column({ name: 'permissions', type: 'text', array: true })
  permissions: ChildPermission[];

  /** By `cid`. */
  @Column({ name: 'child_permissions', type: 'jsonb', default: {} })
  childPermissions: Record<string, ChildPermission[]>;

  /** Name and phone number of the account when the person joined; copied to the watches' contact lists. */
  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  /** The name by which the children call this person, unless a child's contact list overrides it. */
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
