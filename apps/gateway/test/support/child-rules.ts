import type { ChildRules, ContactRule, ActiveSchoolTime } from '@family-watch/domain/watches/contracts/child-rules';
import type { FamilyFixture } from './family-fixture.js';
import { environment } from './suite-gateway.js';

const EVERY_DAY = { weekdays: [1, 2, 3, 4, 5, 6, 7], holidays: [], extraDates: [] };

/** School times that cover the whole day. */
export const ALL_DAY: ActiveSchoolTime[] = [
  { start: '00:00', end: '12:00', ...EVERY_DAY },
  { start: '12:00', end: '00:00', ...EVERY_DAY },
];

export function contactRule(userId: string, change: Partial<ContactRule> = {}): ContactRule {
  return { userId, canCall: true, canChat: true, canVideo: true, schoolAllowed: false, allowedIn: [], ...change };
}

/** Returns rules of the family's child, in which every member is a contact, as userctx publishes them. */
export function createRules(fixture: FamilyFixture, version: number, change: Partial<ChildRules> = {}): ChildRules {
  const { familyId, version: familyVersion, members } = fixture.family;
  return {
    familyId,
    familyVersion,
    cid: fixture.cid,
    version,
    timeZone: 'UTC',
    pausedOn: null,
    schoolTimes: [],
    contacts: members.map(({ userId }) => contactRule(userId)),
    ...change,
  };
}

export function publishRules(rules: ChildRules, id?: string): Promise<void> {
  return environment.publish({ name: 'userctx.child-rules.changed', key: rules.familyId, payload: rules }, id);
}
