import type { Member } from '../queries.js';

export type Role = Member['role'];
export type Permission = Member['permissions'][number];

const ALL_PERMISSIONS: readonly Permission[] = ['LOCATION', 'CHAT', 'CALL', 'ALERTS', 'SETTINGS', 'REMOTE', 'CLOUD'];

/** What a role can be given, and what it always has: the rules of the service, to offer only what it accepts. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, { most: readonly Permission[]; always: readonly Permission[] }>> =
  {
    1: { most: ALL_PERMISSIONS, always: ALL_PERMISSIONS },
    2: { most: ALL_PERMISSIONS, always: ['LOCATION', 'CHAT'] },
    3: { most: ['LOCATION', 'CHAT', 'CALL', 'ALERTS', 'CLOUD'], always: [] },
    4: { most: ['CHAT', 'CALL'], always: ['CHAT'] },
  };

export interface Access {
  readonly role: Role;
  readonly permissions: readonly Permission[];
  /** By `cid`, for children whose permissions differ. */
  readonly childPermissions: Readonly<Record<string, readonly Permission[]>>;
}

/** Returns the access that the service stores: only permissions that the role can have. */
export function toAccess({ role, permissions, childPermissions }: Access) {
  const { most, always } = ROLE_PERMISSIONS[role];
  const limit = (granted: readonly Permission[]) =>
    most.filter((permission) => always.includes(permission) || granted.includes(permission));
  const limitedChildren = Object.entries(childPermissions).map(([cid, granted]) => [cid, limit(granted)] as const);
  return { role, permissions: limit(permissions), childPermissions: Object.fromEntries(limitedChildren) };
}

/** Everything that the role allows, for all children. */
export function fullAccess(role: Role): Access {
  return { role, permissions: ROLE_PERMISSIONS[role].most, childPermissions: {} };
}
