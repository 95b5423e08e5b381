import { CHILD_PERMISSION, FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE } from './family-role.js';
import type { ChildPermission, FamilyRole } from './family-role.js';

/**
 * Permissions that a role always has. A guardian can always access the children, their location and the family chat.
 */
const ALWAYS_GRANTED_PERMISSIONS: Readonly<Record<FamilyRole, readonly ChildPermission[]>> = {
  [FAMILY_ROLE.OWNER]: MAX_PERMISSIONS_BY_ROLE[FAMILY_ROLE.OWNER],
  [FAMILY_ROLE.GUARDIAN]: [CHILD_PERMISSION.LOCATION, CHILD_PERMISSION.CHAT],
  [FAMILY_ROLE.CAREGIVER]: [],
  [FAMILY_ROLE.CONTACT]: [CHILD_PERMISSION.CHAT],
};

/**
 * Returns the effective permissions of a member with this role to whom the owner has granted `granted`, in the order of
 * the role's permissions.
 */
export function effectivePermissions(role: FamilyRole, granted: readonly ChildPermission[]): ChildPermission[] {
  const always = ALWAYS_GRANTED_PERMISSIONS[role];
  return MAX_PERMISSIONS_BY_ROLE[role].filter(
    (permission) => always.includes(permission) || granted.includes(permission),
  );
}
