import { describe, expect, test } from '@jest/globals';
import { CHILD_PERMISSION, FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { ChildPermission, FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import { effectivePermissions } from '@family-watch/domain/families/contracts/effective-permissions';
import {
  CHILD_ACTION,
  FAMILY_ACTION,
  isAllowedForChild,
  isAllowedForFamily,
  WATCH_RULES,
} from './permission-matrix.js';
import type { ChildAction, FamilyAction } from './permission-matrix.js';

const CID = 'child';
const EVERYTHING = Object.values(CHILD_PERMISSION);
const { OWNER, GUARDIAN, CAREGIVER, CONTACT } = FAMILY_ROLE;

/** A member as the roster stores it: what the role allows of what the owner gave. */
function member(role: FamilyRole, given: ChildPermission[], own: Record<string, ChildPermission[]> = {}) {
  return { userId: 'user', role, permissions: effectivePermissions(role, given), childPermissions: own };
}

function allowed(role: FamilyRole, given: ChildPermission[]): ChildAction[] {
  return Object.values(CHILD_ACTION).filter((action) => isAllowedForChild(member(role, given), action, CID));
}

const SEE: ChildAction[] = ['SEE_CHILD', 'SEE_CONTACTS', 'SEE_SETTINGS'];
const OWNER_ONLY: ChildAction[] = ['DELETE_CHILD', 'BIND_WATCH', 'UNBIND_WATCH'];
const LOCATED: ChildAction[] = ['SEE_LOCATION', 'ASK_LOCATION', 'CORRECT_LOCATION', 'SHARE_LOCATION'];
const CHANGES: ChildAction[] = ['CHANGE_CHILD', 'CHANGE_CONTACTS', 'CHANGE_SETTINGS', 'CHANGE_FENCES'];

describe('what a member may do for a child', () => {
  test('the owner may do everything, whatever permissions say', () => {
    expect(allowed(OWNER, [])).toEqual(Object.values(CHILD_ACTION));
  });

  test('a guardian with every permission may do everything that is not the owner’s alone', () => {
    expect(allowed(GUARDIAN, EVERYTHING)).toEqual(
      Object.values(CHILD_ACTION).filter((action) => !OWNER_ONLY.includes(action)),
    );
  });

  test('a guardian without any permission still sees child, position and the family’s chat', () => {
    expect(allowed(GUARDIAN, []).toSorted()).toEqual([...SEE, ...LOCATED, 'CHAT'].toSorted());
  });

  test.each<[ChildPermission, ChildAction[]]>([
    ['LOCATION', []],
    ['CHAT', []],
    ['CALL', ['CALL']],
    ['ALERTS', ['SEE_ALERTS']],
    ['SETTINGS', CHANGES],
    ['REMOTE', ['REMOTE_CONTROL']],
    ['CLOUD', []],
  ])('%s gives a guardian exactly %j more', (permission, more) => {
    const before = allowed(GUARDIAN, []);
    expect(allowed(GUARDIAN, [permission]).filter((action) => !before.includes(action))).toEqual(more);
  });

  test.each<[ChildPermission, ChildAction[]]>([
    ['LOCATION', ['SEE_LOCATION']],
    ['CHAT', ['CHAT']],
    ['CALL', ['CALL']],
    ['ALERTS', ['SEE_ALERTS']],
    ['CLOUD', []],
  ])('%s lets a caregiver see the child and %j', (permission, more) => {
    expect(allowed(CAREGIVER, [permission]).toSorted()).toEqual([...SEE, ...more].toSorted());
  });

  test.each<ChildPermission>(['SETTINGS', 'REMOTE'])('%s is worth nothing to a caregiver', (permission) => {
    expect(allowed(CAREGIVER, [permission])).toEqual([]);
  });

  test('a contact chats and calls at most', () => {
    expect(allowed(CONTACT, [])).toEqual(['CHAT']);
    expect(allowed(CONTACT, EVERYTHING).toSorted()).toEqual(['CALL', 'CHAT']);
  });

  test('a child’s own permissions stand in for the general ones, both ways', () => {
    const more = member(CAREGIVER, [], { [CID]: ['LOCATION'] });
    expect([isAllowedForChild(more, 'SEE_LOCATION', CID), isAllowedForChild(more, 'SEE_LOCATION', 'other')]).toEqual([
      true,
      false,
    ]);
    const less = member(CAREGIVER, ['LOCATION'], { [CID]: [] });
    expect([isAllowedForChild(less, 'SEE_CHILD', CID), isAllowedForChild(less, 'SEE_CHILD', 'other')]).toEqual([
      false,
      true,
    ]);
  });

  test('a role bounds what stored permissions can give, should they ever say more', () => {
    const inflated = { ...member(CONTACT, []), permissions: EVERYTHING };
    const may = Object.values(CHILD_ACTION).filter((action) => isAllowedForChild(inflated, action, CID));
    expect(may.toSorted()).toEqual(['CALL', 'CHAT']);
  });
});

describe('what a member may do to the family', () => {
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
  ];

  test.each(cells)('%s is for %j', (action, roles) => {
    expect(Object.values(FAMILY_ROLE).filter((role) => isAllowedForFamily({ role }, action))).toEqual(roles);
  });

  test('every action is in this suite', () => {
    expect(cells.map(([action]) => action)).toEqual(Object.values(FAMILY_ACTION));
  });
});

test('a watch reads what it needs and changes nothing', () => {
  const may = Object.values(CHILD_ACTION).filter((action) => WATCH_RULES[action]);
  expect(may).toEqual(['SEE_CHILD', 'SEE_CONTACTS', 'SEE_SETTINGS', 'SEE_LOCATION', 'CHAT', 'CALL']);
});
