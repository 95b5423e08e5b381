import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { validateContactChange, canChangeRole } from './contact-rules.js';

const ROLES = Object.values(FAMILY_ROLE);
const named = { deviceId: 1, refId: 'ref' };

describe('A6: every role by every actor', () => {
  const cells = ROLES.flatMap((actor) => ROLES.flatMap((from) => ROLES.map((to) => [actor, from, to] as const)));

  test.each(cells)('a member of role %i moves a contact from %i to %i only where it may', (actor, from, to) => {
    const unchanged = from === to;
    const byOwnerBelowOwner = actor === 1 && from > 1 && to > 1;
    expect(canChangeRole(actor, from, to)).toBe(unchanged || byOwnerBelowOwner);
  });
});

describe('A17: name and number of a member are the account’s', () => {
  test.each(['name', 'phoneNumber', 'areaCode'] as const)('%s of a member cannot be set', (field) => {
    const details = validateContactChange({ ...named, [field]: 'x', appellation: 'Mama' }, true);
    expect(details).toEqual([expect.objectContaining({ field, rule: 'isOfAccount' })]);
    expect(validateContactChange({ ...named, [field]: 'x' }, false)).toEqual([]);
  });

  test.each(['canChat', 'canVideo'] as const)('%s needs an account', (field) => {
    expect(validateContactChange({ ...named, [field]: true }, false)).toEqual([
      expect.objectContaining({ field, rule: 'needsAccount' }),
    ]);
    expect(validateContactChange({ ...named, [field]: false }, false)).toEqual([]);
    expect(validateContactChange({ ...named, [field]: true }, true)).toEqual([]);
  });
});
