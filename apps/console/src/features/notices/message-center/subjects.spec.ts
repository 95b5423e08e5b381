import { describe, expect, test } from '@jest/globals';
import { requestIdOf, subjectOf } from './subjects.js';

const MESSAGE = { cid: 'c1', familyId: 'f1', params: {} };

describe('subjectOf', () => {
  test.each([
    ['SOS_RAISED', '/messages/sos/$cid/$sosId', { cid: 'c1', sosId: 's1' }],
    ['FRIEND_APPLICATION_CHANGED', '/children/$cid/settings/friends', { cid: 'c1' }],
    ['FENCE_NOT_ARRIVED', '/children/$cid/fences', { cid: 'c1' }],
    ['APPLICATION_MADE', '/family/$familyId', { familyId: 'f1' }],
    ['ORDER_REQUESTED', '/family/$familyId/plans', { familyId: 'f1' }],
  ] as const)('opens for %s the page %s', (type, to, params) => {
    expect(subjectOf({ ...MESSAGE, type, params: { sosId: 's1' } })).toEqual({ to, params });
  });

  test.each([
    ['SOS_RAISED', '/children'],
    ['BATTERY_LOW', '/children'],
    ['ACCESS_CHANGED', '/family'],
    ['ACCOUNT_DELETION_CHANGED', '/family/account/privacy'],
  ] as const)('opens for %s without child and family the page %s', (type, to) => {
    expect(subjectOf({ type, cid: null, familyId: null, params: {} })).toEqual({ to });
  });
});

describe('requestIdOf', () => {
  test('returns the id of the SOS or request, and nothing for other messages', () => {
    expect(requestIdOf({ params: { applicationId: 'a1', applicantUserId: 'u1' } })).toBe('a1');
    expect(requestIdOf({ params: { battery: 10 } })).toBeUndefined();
  });
});
