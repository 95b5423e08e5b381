import type { Schema } from '@family-watch/client/rest/schemas';
import type { BlockCause } from '@family-watch/domain/watch-settings/contracts/stranger-rule';

/** A caller in the telephone network. `areaCode` includes the `+`. */
export interface PhoneCaller {
  areaCode: string;
  phoneNumber: string;
}

/**
 * The settings that decide whether the watch rings. A setting that was never changed is absent, and its defaults apply.
 */
export interface CallFilterRules {
  contacts: readonly Schema<'ContactDto'>[];
  schoolTimes?: Schema<'SchoolTimesDto'>;
  strangers?: Schema<'StrangerRuleDto'>;
}

/** Returns why a call is silenced, or `undefined` if the watch rings. Strangers are blocked by default. */
export function silenceReason(caller: PhoneCaller, rules: CallFilterRules, now: number): BlockCause | undefined {
  const { contacts, schoolTimes, strangers } = rules;
  const contact = contacts.find((each) => isSameCaller(each, caller));
  const isAllowed = (strangers?.allowNumbers ?? []).some((each) => isSameCaller(each, caller) && each.expiresAt > now);
  if (!contact?.canCall && (strangers?.enabled ?? true) && !isAllowed) return 'STRANGER';
  const school = schoolTimes?.items.find(({ schoolTimeId }) => schoolTimeId === schoolTimes.current);
  if (!school || contact?.schoolAllowed) return undefined;
  return contact && school.allowContacts.includes(contact.refId) ? undefined : 'SCHOOL_TIME';
}

function isSameCaller(one: PhoneCaller, other: PhoneCaller): boolean {
  return one.areaCode === other.areaCode && one.phoneNumber === other.phoneNumber;
}
