import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MAX_SOS_ORDER } from '@family-watch/domain/families/contracts/contact';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import {
  validateContactChange,
  canChangeRole,
  lastRank,
  shiftRanks,
  planContactSync,
  type RankedContact,
} from './contact-rules.js';

const ROLES = Object.values(FAMILY_ROLE);
const CONTACT_REFERENCE = { deviceId: 1, refId: 'ref' };

describe('canChangeRole', () => {
  const cells = ROLES.flatMap((actor) => ROLES.flatMap((from) => ROLES.map((to) => [actor, from, to] as const)));

  test.each(cells)(
    'lets role %i change a contact from role %i to %i only if these are equal, or if the owner changes a lower role',
    (actor, from, to) => {
      const unchanged = from === to;
      const isNonOwnerRoleChangedByOwner = actor === 1 && from > 1 && to > 1;
      expect(canChangeRole(actor, from, to)).toBe(unchanged || isNonOwnerRoleChangedByOwner);
    },
  );
});

describe('validateContactChange', () => {
  test.each(['name', 'phoneNumber', 'areaCode'] as const)('rejects a new %s for a contact who is a member', (field) => {
    const details = validateContactChange({ ...CONTACT_REFERENCE, [field]: 'x', appellation: 'Mama' }, true);
    expect(details).toEqual([expect.objectContaining({ field, rule: 'isOfAccount' })]);
    expect(validateContactChange({ ...CONTACT_REFERENCE, [field]: 'x' }, false)).toEqual([]);
  });

  test.each(['canChat', 'canVideo'] as const)('rejects the permission %s for a contact without an account', (field) => {
    expect(validateContactChange({ ...CONTACT_REFERENCE, [field]: true }, false)).toEqual([
      expect.objectContaining({ field, rule: 'needsAccount' }),
    ]);
    expect(validateContactChange({ ...CONTACT_REFERENCE, [field]: false }, false)).toEqual([]);
    expect(validateContactChange({ ...CONTACT_REFERENCE, [field]: true }, true)).toEqual([]);
  });
});

const contactsAt = (...ranks: number[]): RankedContact[] =>
  ranks.map((sosOrder) => ({ refId: `at ${sosOrder}`, sosOrder }));

describe('shiftRanks', () => {
  test('moves the contact at the requested rank and those directly after it, up to the first free rank', () => {
    expect(shiftRanks(contactsAt(1, 2, 3, 5, 6), 2)).toEqual([
      { refId: 'at 2', sosOrder: 3 },
      { refId: 'at 3', sosOrder: 4 },
    ]);
  });

  test('moves no contact when the requested rank is free', () => {
    expect(shiftRanks(contactsAt(1, 3), 2)).toEqual([]);
  });

  test('moves preceding contacts forward when no later rank is free', () => {
    expect(shiftRanks(contactsAt(1, 998, 999, 1_000), 1_000)).toEqual([
      { refId: 'at 1000', sosOrder: 999 },
      { refId: 'at 999', sosOrder: 998 },
      { refId: 'at 998', sosOrder: 997 },
    ]);
  });

  const ranks = fc.uniqueArray(fc.integer({ min: 1, max: MAX_SOS_ORDER }), { maxLength: 120 });
  const crowded = fc.uniqueArray(fc.integer({ min: 900, max: MAX_SOS_ORDER }), { maxLength: 101 });

  test('assigns every contact a unique rank within the bounds and keeps the previous order', () => {
    fc.assert(
      fc.property(fc.oneof(ranks, crowded), fc.integer({ min: 1, max: MAX_SOS_ORDER }), (usedRanks, rank) => {
        const before = contactsAt(...usedRanks.toSorted((one, other) => one - other));
        const moved = new Map(shiftRanks(before, rank).map(({ refId, sosOrder }) => [refId, sosOrder]));
        const after = before.map(({ refId, sosOrder }) => moved.get(refId) ?? sosOrder);
        expect(after).not.toContain(rank);
        expect(after).toEqual(after.toSorted((one, other) => one - other));
        expect(new Set(after).size).toBe(after.length);
        for (const value of after) expect(value >= 1 && value <= MAX_SOS_ORDER).toBe(true);
      }),
    );
  });
});

test('lastRank returns the rank after the last contact, up to the maximum', () => {
  expect([lastRank([]), lastRank(contactsAt(3, 7)), lastRank(contactsAt(1_000))]).toEqual([1, 8, 1_000]);
});

const memberFields = { role: 2, name: 'Anna', areaCode: '+86', phoneNumber: '13800000001' } as const;

test('planContactSync adds a contact for a member who is not in the contact list', () => {
  expect(planContactSync([{ userId: 'a', ...memberFields }], [])).toEqual({
    add: [{ userId: 'a', ...memberFields }],
    change: [],
    remove: [],
  });
});

test('planContactSync removes the contact of a former member and keeps a contact without an account', () => {
  const contacts = [
    { refId: 'r1', userId: 'gone', ...memberFields },
    { refId: 'r2', userId: null, ...memberFields },
  ];
  expect(planContactSync([], contacts)).toEqual({ add: [], change: [], remove: ['r1'] });
});

test('planContactSync changes nothing when contacts and members match', () => {
  const plan = planContactSync([{ userId: 'a', ...memberFields }], [{ refId: 'r', userId: 'a', ...memberFields }]);
  expect(plan).toEqual({ add: [], change: [], remove: [] });
});

test.each([{ role: 3 as const }, { name: 'Ann' }, { areaCode: '+1' }, { phoneNumber: '13800000002' }])(
  'planContactSync updates the contact of a member who has the new value %j',
  (difference) => {
    const member = { ...memberFields, ...difference };
    const plan = planContactSync([{ userId: 'a', ...member }], [{ refId: 'r', userId: 'a', ...memberFields }]);
    expect(plan).toEqual({ add: [], change: [{ refId: 'r', copiedFields: member }], remove: [] });
  },
);
