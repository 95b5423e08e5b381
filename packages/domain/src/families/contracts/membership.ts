import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import { FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE } from './family-role.js';
import type { ChildPermission, FamilyRole } from './family-role.js';

/** A member as the family's snapshot tells it. */
export interface MemberSnapshot {
  userId: string;
  role: FamilyRole;
  /** What the member is allowed per child; a child that is not named has what `permissions` says. */
  permissions: ChildPermission[];
  childPermissions: Record<string, ChildPermission[]>;
}

/** A child of the family, and the watch that acts as the child. */
export interface ChildSnapshot {
  cid: string;
  did: number | null;
}

/**
 * The whole of who belongs to a family, at one version. Each change sends all of it, so that a projection is
 * right after any one event, in any order: it keeps the highest version.
 */
export interface FamilySnapshot {
  familyId: string;
  version: number;
  ownerUserId: string;
  dissolved: boolean;
  members: MemberSnapshot[];
  children: ChildSnapshot[];
}

/** May this member do this for this child? The role bounds what a permission can give. */
export function memberHasPermission(member: MemberSnapshot, permission: ChildPermission, cid: string): boolean {
  if (member.role === FAMILY_ROLE.OWNER) return true;
  if (!MAX_PERMISSIONS_BY_ROLE[member.role].includes(permission)) return false;
  return (member.childPermissions[cid] ?? member.permissions).includes(permission);
}

/** May this member know of the child's settings, contacts and watch at all? */
export function canSeeChildren(member: MemberSnapshot): boolean {
  return member.role !== FAMILY_ROLE.CONTACT;
}

/** Is this member in the family's group? Who sees the children is; a caregiver must be allowed to chat with one. */
export function isInFamilyGroup(member: MemberSnapshot, { children }: Pick<FamilySnapshot, 'children'>): boolean {
  if (member.role !== FAMILY_ROLE.CAREGIVER) return canSeeChildren(member);
  return children.some(({ cid }) => memberHasPermission(member, 'CHAT', cid));
}

/** Everybody who belongs to the family, members and watches; nobody once it is dissolved. */
export function familyPrincipals({ members, children, dissolved }: FamilySnapshot): PrincipalKey[] {
  if (dissolved) return [];
  const watches = children.flatMap(({ did }): PrincipalKey[] => (did === null ? [] : [`watch:${did}`]));
  return [...members.map(({ userId }): PrincipalKey => `user:${userId}`), ...watches];
}
