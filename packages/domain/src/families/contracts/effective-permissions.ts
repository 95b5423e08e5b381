import { CHILD_PERMISSION, FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE } from './family-role.js';
import type { ChildPermission, FamilyRole } from './family-role.js';

/** What a role has without being given it: a guardian always sees the children, their position and the family's chat. */
const PERMISSIONS_WITHIN_ROLE: Readonly<Record<FamilyRole, readonly ChildPermission[]>> = {
  [FAMILY_ROLE.OWNER]: MAX_PERMISSIONS_BY_ROLE[FAMILY_ROLE.OWNER],
  [FAMILY_ROLE.GUARDIAN]: [CHILD_PERMISSION.LOCATION, CHILD_PERMISSION.CHAT],
  [FAMILY_ROLE.CAREGIVER]: [],
  [FAMILY_ROLE.CONTACT]: [CHILD_PERMISSION.CHAT],
};

/** The permissions that a member of this role ends up with when `given` is what the owner chose; in the fixed order. */
export function effectivePermissions(role: FamilyRole, given: readonly ChildPermission[]): ChildPermission[] {
  const within = PERMISSIONS_WITHIN_ROLE[role];
  return MAX_PERMISSIONS_BY_ROLE[role].filter(
    (permission) => within.includes(permission) || given.includes(permission),
  );
}
