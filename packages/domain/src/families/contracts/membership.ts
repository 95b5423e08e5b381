import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE, type ChildPermission, type FamilyRole } from './family-role.js';

/** A member in a family snapshot. */
export interface MemberSnapshot {
  userId: string;
  role: FamilyRole;
  /** Permissions for every child that has no entry in `childPermissions`. */
  permissions: ChildPermission[];
  /** Permissions for individual children, by `cid`. */
  childPermissions: Record<string, ChildPermission[]>;
}

/** A child in a family snapshot, and the child's bound watch (`null`: none). */
export interface ChildSnapshot {
  cid: string;
  did: number | null;
}

/**
 * All members and children of a family, at one version. Each change publishes all members and children. A projection
 * that stores the highest version is therefore complete after any single event, and events may arrive in any order.
 */
export interface FamilySnapshot {
  familyId: string;
  version: number;
  ownerUserId: string;
  dissolved: boolean;
  members: MemberSnapshot[];
  children: ChildSnapshot[];
}

/**
 * Returns true if the member has this permission for this child. The owner has all permissions. A permission that the
 * member's role cannot have does not take effect.
 */
export function memberHasPermission(member: MemberSnapshot, permission: ChildPermission, cid: string): boolean {
  if (member.role === FAMILY_ROLE.OWNER) return true;
  if (!MAX_PERMISSIONS_BY_ROLE[member.role].includes(permission)) return false;
  return (member.childPermissions[cid] ?? member.permissions).includes(permission);
}

/** Returns true if the member may see the children's settings, contacts and watches. */
export function canSeeChildren(member: MemberSnapshot): boolean {
  return member.role !== FAMILY_ROLE.CONTACT;
}

/**
 * Returns true if the member belongs to the family group, the conversation of the whole family: the owner, guardians,
 * and caregivers with the permission CHAT for at least one child.
 */
export function isInFamilyGroup(member: MemberSnapshot, { children }: Pick<FamilySnapshot, 'children'>): boolean {
  if (member.role !== FAMILY_ROLE.CAREGIVER) return canSeeChildren(member);
  return children.some(({ cid }) => memberHasPermission(member, 'CHAT', cid));
}

/** Returns the principals of all members and bound watches of the family; an empty list for a dissolved family. */
export function familyPrincipals({ members, children, dissolved }: FamilySnapshot): PrincipalKey[] {
  if (dissolved) return [];
  const watches = children.flatMap(({ did }): PrincipalKey[] => (did === null ? [] : [`watch:${did}`]));
  return [...members.map(({ userId }): PrincipalKey => `user:${userId}`), ...watches];
}
