import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';

/** A person in a family: role, permissions for the children, and the name by which the children call this person. */
@Entity({ schema: 'userctx', name: 'family_member' })
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
  @Column({ name: 'child_permissions', type: 'jsonb' })
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

  @Column({ name: 'identity_type', type: 'smallint' })
  identityType: number;

  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** Unix milliseconds. */
  @Column({ name: 'joined_at', type: 'bigint' })
  joinedAt: number;
}
