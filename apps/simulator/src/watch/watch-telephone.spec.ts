import { describe, expect, it } from '@jest/globals';
import type { Schema } from '@family-watch/client/rest/schemas';
import { findBlockCause } from './watch-telephone.js';
import type { CallFilterRules } from './watch-telephone.js';

const NOW = 1_790_000_000_000;
const GRANNY = { areaCode: '+86', phoneNumber: '13712345678' };
const STRANGER = { areaCode: '+86', phoneNumber: '02155501234' };

const contact = { ...GRANNY, refId: 'r1', canCall: true, schoolAllowed: false } as Schema<'ContactDto'>;
const range = { schoolTimeId: 's1', allowContacts: [] as string[] } as Schema<'SchoolTimeDto'>;
const school = (current: string | null, items = [range]) => ({ items, current }) as Schema<'SchoolTimesDto'>;
const allowed = { ...STRANGER, expiresAt: NOW + 1 };
const strangers = (enabled: boolean, allowNumbers: object[] = []) =>
  ({ enabled, allowNumbers }) as Schema<'StrangerRuleDto'>;

const blockCauseOf = (caller: typeof GRANNY, rules: Partial<CallFilterRules> = {}) =>
  findBlockCause(caller, { contacts: [contact], ...rules }, NOW);

describe('findBlockCause', () => {
  it('allows contacts and silences strangers by default', () => {
    expect([blockCauseOf(GRANNY), blockCauseOf(STRANGER)]).toEqual([undefined, 'STRANGER']);
  });

  it('silences a contact without permission to call', () => {
    expect(blockCauseOf(GRANNY, { contacts: [{ ...contact, canCall: false }] })).toBe('STRANGER');
  });

  it('allows strangers when the parents disable blocking, and an allowed number until it expires', () => {
    expect(blockCauseOf(STRANGER, { strangers: strangers(false) })).toBeUndefined();
    expect(blockCauseOf(STRANGER, { strangers: strangers(true, [allowed]) })).toBeUndefined();
    expect(blockCauseOf(STRANGER, { strangers: strangers(true, [{ ...allowed, expiresAt: NOW }]) })).toBe('STRANGER');
    expect(blockCauseOf(STRANGER, { strangers: strangers(true, [{ ...allowed, areaCode: '+49' }]) })).toBe('STRANGER');
  });

  it('silences calls during school time, except from contacts that the school time allows', () => {
    const schoolTimes = school('s1');
    expect(blockCauseOf(GRANNY, { schoolTimes })).toBe('SCHOOL_TIME');
    expect(blockCauseOf(STRANGER, { schoolTimes, strangers: strangers(true, [allowed]) })).toBe('SCHOOL_TIME');
    expect(blockCauseOf(GRANNY, { schoolTimes, contacts: [{ ...contact, schoolAllowed: true }] })).toBeUndefined();
    expect(blockCauseOf(GRANNY, { schoolTimes: school('s1', [{ ...range, allowContacts: ['r1'] }]) })).toBeUndefined();
    expect(blockCauseOf(GRANNY, { schoolTimes: school(null) })).toBeUndefined();
  });
});
