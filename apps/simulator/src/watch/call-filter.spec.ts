import { describe, expect, it } from '@jest/globals';
import type { Schema } from '@family-watch/client/rest/schemas';
import { silenceReason } from './call-filter.js';
import type { CallFilterRules } from './call-filter.js';

const NOW = 1_790_000_000_000;
const GRANNY = { areaCode: '+86', phoneNumber: '13712345678' };
const STRANGER = { areaCode: '+86', phoneNumber: '02155501234' };

const contact = { ...GRANNY, refId: 'r1', canCall: true, schoolAllowed: false } as Schema<'ContactDto'>;
const range = { schoolTimeId: 's1', allowContacts: [] as string[] } as Schema<'SchoolTimeDto'>;
const school = (current: string | null, items = [range]) => ({ items, current }) as Schema<'SchoolTimesDto'>;
const allowed = { ...STRANGER, expiresAt: NOW + 1 };
const strangers = (enabled: boolean, allowNumbers: object[] = []) =>
  ({ enabled, allowNumbers }) as Schema<'StrangerRuleDto'>;

const call = (caller: typeof GRANNY, rules: Partial<CallFilterRules> = {}) =>
  silenceReason(caller, { contacts: [contact], ...rules }, NOW);

describe('silenceReason', () => {
  it('allows contacts and silences strangers by default', () => {
    expect([call(GRANNY), call(STRANGER)]).toEqual([undefined, 'STRANGER']);
  });

  it('silences a contact without permission to call', () => {
    expect(call(GRANNY, { contacts: [{ ...contact, canCall: false }] })).toBe('STRANGER');
  });

  it('allows strangers when the parents disable blocking, and an allowed number until it expires', () => {
    expect(call(STRANGER, { strangers: strangers(false) })).toBeUndefined();
    expect(call(STRANGER, { strangers: strangers(true, [allowed]) })).toBeUndefined();
    expect(call(STRANGER, { strangers: strangers(true, [{ ...allowed, expiresAt: NOW }]) })).toBe('STRANGER');
    expect(call(STRANGER, { strangers: strangers(true, [{ ...allowed, areaCode: '+49' }]) })).toBe('STRANGER');
  });

  it('silences calls during school time, except from contacts that the school time allows', () => {
    const schoolTimes = school('s1');
    expect(call(GRANNY, { schoolTimes })).toBe('SCHOOL_TIME');
    expect(call(STRANGER, { schoolTimes, strangers: strangers(true, [allowed]) })).toBe('SCHOOL_TIME');
    expect(call(GRANNY, { schoolTimes, contacts: [{ ...contact, schoolAllowed: true }] })).toBeUndefined();
    expect(call(GRANNY, { schoolTimes: school('s1', [{ ...range, allowContacts: ['r1'] }]) })).toBeUndefined();
    expect(call(GRANNY, { schoolTimes: school(null) })).toBeUndefined();
  });
});
