import { describe, expect, test } from '@jest/globals';
import {
  CHILD_PERMISSION,
  FAMILY_ROLE,
  effectivePermissions,
  type ChildPermission,
  type FamilyRole,
} from '@family-watch/domain/families/contracts/family-role';
import {
  CHILD_ACTION,
  FAMILY_ACTION,
  isAllowedForChild,
  isAllowedForFamily,
  WATCH_RULES,
  type ChildAction,
  type FamilyAction,
} from './permission-matrix.js';

const CID = 'child';
const ALL_PERMISSIONS = Object.values(CHILD_PERMISSION);
const { OWNER, GUARDIAN, CAREGIVER, CONTACT } = FAMILY_ROLE;

/** Returns a member as the database stores it: with those of the granted permissions that the role allows. */
function createMember(
  role: FamilyRole,
  granted: ChildPermission[],
  childPermissions: Record<string, ChildPermission[]> = {},
) {
  return { userId: 'user', role, permissions: effectivePermissions(role, granted), childPermissions };
}

function allowedActionsOf(role: FamilyRole, granted: ChildPermission[]): ChildAction[] {
  return Object.values(CHILD_ACTION).filter((action) => isAllowedForChild(createMember(role, granted), action, CID));
}

const SEE_ACTIONS: ChildAction[] = ['SEE_CHILD', 'SEE_CONTACTS', 'SEE_SETTINGS'];
const OWNER_ONLY: ChildAction[] = ['DELETE_CHILD', 'BIND_WATCH', 'UNBIND_WATCH'];
const LOCATION_ACTIONS: ChildAction[] = ['SEE_LOCATION', 'ASK_LOCATION', 'CORRECT_LOCATION', 'SHARE_LOCATION'];
const CHANGE_ACTIONS: ChildAction[] = ['CHANGE_CHILD', 'CHANGE_CONTACTS', 'CHANGE_SETTINGS', 'CHANGE_FENCES'];

describe('isAllowedForChild', () => {
  test('allows the owner every action, whatever permissions are stored', () => {
    expect(allowedActionsOf(OWNER, [])).toEqual(Object.values(CHILD_ACTION));
  });

  test('allows a guardian with every permission all actions except those of the owner', () => {
    expect(allowedActionsOf(GUARDIAN, ALL_PERMISSIONS)).toEqual(
      Object.values(CHILD_ACTION).filter((action) => !OWNER_ONLY.includes(action)),
    );
  });

  test('allows a guardian without granted permissions to see the child and who saw it, use its location and chat', () => {
    expect(allowedActionsOf(GUARDIAN, []).toSorted()).toEqual(
      [...SEE_ACTIONS, ...LOCATION_ACTIONS, 'SEE_ACCESS_LOG', 'CHAT'].toSorted(),
    );
  });

  test.each<[ChildPermission, ChildAction[]]>([
    ['LOCATION', []],
    ['CHAT', []],
    ['CALL', ['CALL']],
    ['ALERTS', ['SEE_ALERTS']],
    ['SETTINGS', [...CHANGE_ACTIONS, 'BUY_FOR_CHILD']],
    ['REMOTE', ['REMOTE_CONTROL']],
    ['CLOUD', []],
  ])('permission %s additionally allows a guardian exactly the actions %j', (permission, additional) => {
    const before = allowedActionsOf(GUARDIAN, []);
    expect(allowedActionsOf(GUARDIAN, [permission]).filter((action) => !before.includes(action))).toEqual(additional);
  });

  test.each<[ChildPermission, ChildAction[]]>([
    ['LOCATION', ['SEE_LOCATION']],
    ['CHAT', ['CHAT']],
    ['CALL', ['CALL']],
    ['ALERTS', ['SEE_ALERTS']],
    ['CLOUD', []],
  ])('permission %s allows a caregiver to see the child and exactly the actions %j', (permission, additional) => {
    expect(allowedActionsOf(CAREGIVER, [permission]).toSorted()).toEqual([...SEE_ACTIONS, ...additional].toSorted());
  });

  test.each<ChildPermission>(['SETTINGS', 'REMOTE'])('permission %s allows a caregiver no action', (permission) => {
    expect(allowedActionsOf(CAREGIVER, [permission])).toEqual([]);
  });

  test('allows a contact at most chat and calls', () => {
    expect(allowedActionsOf(CONTACT, [])).toEqual(['CHAT']);
    expect(allowedActionsOf(CONTACT, ALL_PERMISSIONS).toSorted()).toEqual(['CALL', 'CHAT']);
  });

  test('applies the permissions for one child instead of the general ones, whether these are more or fewer', () => {
    const more = createMember(CAREGIVER, [], { [CID]: ['LOCATION'] });
    expect([isAllowedForChild(more, 'SEE_LOCATION', CID), isAllowedForChild(more, 'SEE_LOCATION', 'other')]).toEqual([
      true,
      false,
    ]);
    const less = createMember(CAREGIVER, ['LOCATION'], { [CID]: [] });
    expect([isAllowedForChild(less, 'SEE_CHILD', CID), isAllowedForChild(less, 'SEE_CHILD', 'other')]).toEqual([
      false,
      true,
    ]);
  });

  test('ignores stored permissions that the role does not allow', () => {
    const inflated = { ...createMember(CONTACT, []), permissions: ALL_PERMISSIONS };
    const allowedActions = Object.values(CHILD_ACTION).filter((action) => isAllowedForChild(inflated, action, CID));
    expect(allowedActions.toSorted()).toEqual(['CALL', 'CHAT']);
  });
});

describe('isAllowedForFamily', () => {
  const cells: [FamilyAction, FamilyRole[]][] = [
    [FAMILY_ACTION.SEE_MEMBERS, [OWNER, GUARDIAN, CAREGIVER]],
    [FAMILY_ACTION.RENAME_FAMILY, [OWNER]],
    [FAMILY_ACTION.INVITE, [OWNER]],
    [FAMILY_ACTION.MANAGE_MEMBERS, [OWNER]],
    [FAMILY_ACTION.RESTORE_CHILD, [OWNER]],
    [FAMILY_ACTION.LEAVE, [GUARDIAN, CAREGIVER, CONTACT]],
    [FAMILY_ACTION.DECIDE_APPLICATIONS, [OWNER]],
    [FAMILY_ACTION.TRANSFER, [OWNER]],
    [FAMILY_ACTION.DISSOLVE, [OWNER]],
    [FAMILY_ACTION.CLAIM_OWNERSHIP, [GUARDIAN]],
    [FAMILY_ACTION.SEE_CLAIMS, [OWNER, GUARDIAN]],
    [FAMILY_ACTION.REFUSE_CLAIM, [OWNER]],
    [FAMILY_ACTION.BUY, [OWNER, GUARDIAN]],
  ];

  test.each(cells)('allows the action %s to exactly the roles %j', (action, roles) => {
    expect(Object.values(FAMILY_ROLE).filter((role) => isAllowedForFamily({ role }, action))).toEqual(roles);
  });

  test('has a test case in this table for every action', () => {
    expect(cells.map(([action]) => action)).toEqual(Object.values(FAMILY_ACTION));
  });
});

test('WATCH_RULES allow a watch only to see child, contacts, settings and location, to chat and to call', () => {
  const allowedActions = Object.values(CHILD_ACTION).filter((action) => WATCH_RULES[action]);
  expect(allowedActions).toEqual(['SEE_CHILD', 'SEE_CONTACTS', 'SEE_SETTINGS', 'SEE_LOCATION', 'CHAT', 'CALL']);
});
