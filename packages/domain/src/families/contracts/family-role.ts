/** Roles of a family's members; a smaller number may more. Exactly one OWNER. */
export const FAMILY_ROLE = { OWNER: 1, GUARDIAN: 2, CAREGIVER: 3, CONTACT: 4 } as const;

export type FamilyRole = (typeof FAMILY_ROLE)[keyof typeof FAMILY_ROLE];

/** What a member can be allowed for one child. */
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

const ALL = Object.values(CHILD_PERMISSION);

/** The most that a role can be allowed for a child; the owner always has all of it. */
export const MAX_PERMISSIONS_BY_ROLE: Readonly<Record<FamilyRole, readonly ChildPermission[]>> = {
  [FAMILY_ROLE.OWNER]: ALL,
  [FAMILY_ROLE.GUARDIAN]: ALL,
  [FAMILY_ROLE.CAREGIVER]: ['LOCATION', 'CHAT', 'CALL', 'ALERTS', 'CLOUD'],
  [FAMILY_ROLE.CONTACT]: ['CHAT', 'CALL'],
};
