import { describe, expect, test } from '@jest/globals';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { validateContactChange, canChangeRole } from './contact-rules.js';

const ROLES = Object.values(FAMILY_ROLE);
const CONTACT_REFERENCE = { deviceId: 1, refId: 'ref' };

describe('canChangeRole', () => {
  const cells = ROLES.flatMap((actor) => ROLES.flatMap((from) => ROLES.map((to) => [actor, from, to] as const)));

  test.each(cells)(
    'lets role %i change a contact from role %i to %i only if the role stays equal, or if the owner changes roles below owner',
    (actor, from, to) => {
      const unchanged = from === to;
      const byOwnerBelowOwner = actor === 1 && from > 1 && to > 1;
      expect(canChangeRole(actor, from, to)).toBe(unchanged || byOwnerBelowOwner);
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
