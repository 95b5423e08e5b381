import { expect, test } from '@jest/globals';
import { planContactSync } from './contact-sync-plan.js';

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
