import { describe, expect, test } from '@jest/globals';
import type { Schema } from '@family-watch/client';
import { findBlockCause, type CallFilterRules } from './watch-telephone.js';

const NOW = 1_790_000_000_000;
const GRANNY = { areaCode: '+86', phoneNumber: '13712345678' };
const STRANGER = { areaCode: '+86', phoneNumber: '02155501234' };

const GRANNY_CONTACT = { ...GRANNY, refId: 'r1', canCall: true, schoolAllowed: false } as Schema<'ContactDto'>;
const SCHOOL_TIME_RANGE = { schoolTimeId: 's1', allowContacts: [] as string[] } as Schema<'SchoolTimeDto'>;
const createSchoolTimes = (current: string | null, items = [SCHOOL_TIME_RANGE]) =>
  ({ items, current }) as Schema<'SchoolTimesDto'>;
const ALLOWED_STRANGER = { ...STRANGER, expiresAt: NOW + 1 };
const createStrangerRule = (enabled: boolean, allowNumbers: object[] = []) =>
  ({ enabled, allowNumbers }) as Schema<'StrangerRuleDto'>;

const blockCauseOf = (caller: typeof GRANNY, rules: Partial<CallFilterRules> = {}) =>
  findBlockCause(caller, { contacts: [GRANNY_CONTACT], ...rules }, NOW);

describe('findBlockCause', () => {
  test('allows contacts and silences strangers by default', () => {
    expect([blockCauseOf(GRANNY), blockCauseOf(STRANGER)]).toEqual([undefined, 'STRANGER']);
  });

  test('silences a contact without permission to call', () => {
    expect(blockCauseOf(GRANNY, { contacts: [{ ...GRANNY_CONTACT, canCall: false }] })).toBe('STRANGER');
  });

  test('allows strangers when the parents disable blocking, and an allowed number until it expires', () => {
    expect(blockCauseOf(STRANGER, { strangers: createStrangerRule(false) })).toBeUndefined();
    expect(blockCauseOf(STRANGER, { strangers: createStrangerRule(true, [ALLOWED_STRANGER]) })).toBeUndefined();
    expect(
      blockCauseOf(STRANGER, { strangers: createStrangerRule(true, [{ ...ALLOWED_STRANGER, expiresAt: NOW }]) }),
    ).toBe('STRANGER');
    expect(
      blockCauseOf(STRANGER, { strangers: createStrangerRule(true, [{ ...ALLOWED_STRANGER, areaCode: '+49' }]) }),
    ).toBe('STRANGER');
  });

  test('silences calls during school time, except from contacts that the school time allows', () => {
    const schoolTimes = createSchoolTimes('s1');
    expect(blockCauseOf(GRANNY, { schoolTimes })).toBe('SCHOOL_TIME');
    expect(blockCauseOf(STRANGER, { schoolTimes, strangers: createStrangerRule(true, [ALLOWED_STRANGER]) })).toBe(
      'SCHOOL_TIME',
    );
    expect(
      blockCauseOf(GRANNY, { schoolTimes, contacts: [{ ...GRANNY_CONTACT, schoolAllowed: true }] }),
    ).toBeUndefined();
    expect(
      blockCauseOf(GRANNY, { schoolTimes: createSchoolTimes('s1', [{ ...SCHOOL_TIME_RANGE, allowContacts: ['r1'] }]) }),
    ).toBeUndefined();
    expect(blockCauseOf(GRANNY, { schoolTimes: createSchoolTimes(null) })).toBeUndefined();
  });
});
