/** Roles of family members; a lower number has more rights. A family has exactly one OWNER. */
export const FAMILY_ROLE = { OWNER: 1, GUARDIAN: 2, CAREGIVER: 3, CONTACT: 4 } as const;

export type FamilyRole = (typeof FAMILY_ROLE)[keyof typeof FAMILY_ROLE];

/** Permissions that a member can have for a child. */
export const CHILD_PERMISSION = {
  LOCATION: 'LOCATION',
  CHAT: 'CHAT',
  CALL: 'CALL',
  ALERTS: 'ALERTS',
  SETTINGS: 'SETTINGS',
  REMOTE: 'REMOTE',
  CLOUD: 'CLOUD',
} as const;

export type ChildPermission = (typeof CHILD_PERMISSION)[keyof typeof CHILD_PERMISSION];

const ALL_PERMISSIONS = Object.values(CHILD_PERMISSION);

/** The permissions that a role can have for a child. The owner always has all permissions. */
export const MAX_PERMISSIONS_BY_ROLE: Readonly<Record<FamilyRole, readonly ChildPermission[]>> = {
  [FAMILY_ROLE.OWNER]: ALL_PERMISSIONS,
  [FAMILY_ROLE.GUARDIAN]: ALL_PERMISSIONS,
  [FAMILY_ROLE.CAREGIVER]: ['LOCATION', 'CHAT', 'CALL', 'ALERTS', 'CLOUD'],
  [FAMILY_ROLE.CONTACT]: ['CHAT', 'CALL'],
};

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
