import { expect, test } from '@jest/globals';
import { planContactSync } from './contact-sync-plan.js';

const card = { role: 2, name: 'Anna', areaCode: '+86', phoneNumber: '13800000001' } as const;

test('who is a member and no contact is added', () => {
  expect(planContactSync([{ userId: 'a', ...card }], [])).toEqual({
    add: [{ userId: 'a', ...card }],
    change: [],
    remove: [],
  });
});

test('who is a contact and no member any more is removed; a phone number stays', () => {
  const contacts = [
    { refId: 'r1', userId: 'gone', ...card },
    { refId: 'r2', userId: null, ...card },
  ];
  expect(planContactSync([], contacts)).toEqual({ add: [], change: [], remove: ['r1'] });
});

test('what is in step is left alone', () => {
  const plan = planContactSync([{ userId: 'a', ...card }], [{ refId: 'r', userId: 'a', ...card }]);
  expect(plan).toEqual({ add: [], change: [], remove: [] });
});

test.each([{ role: 3 as const }, { name: 'Ann' }, { areaCode: '+1' }, { phoneNumber: '13800000002' }])(
  'a contact follows %j of the member',
  (difference) => {
    const member = { ...card, ...difference };
    const plan = planContactSync([{ userId: 'a', ...member }], [{ refId: 'r', userId: 'a', ...card }]);
    expect(plan).toEqual({ add: [], change: [{ refId: 'r', shared: member }], remove: [] });
  },
);
