/** Roles of family members; a lower number has more rights. A family has exactly one OWNER. */
export const FAMILY_ROLE = { OWNER: 1, GUARDIAN: 2, CAREGIVER: 3, CONTACT: 4 } as const;

export type FamilyRole = (typeof FAMILY_ROLE)[keyof typeof FAMILY_ROLE];

/** Permissions of a member for one child. */
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
