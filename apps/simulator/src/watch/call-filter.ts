import type { Schema } from '@family-watch/client/rest/schemas';
import type { BlockCause } from '@family-watch/domain/watch-settings/contracts/stranger-rule';

/** A number of the telephone network; `areaCode` with `+`. */
export interface PhoneCaller {
  areaCode: string;
  phoneNumber: string;
}

/** What a watch knows when its telephone is called. A resource that was never changed is absent: its defaults hold. */
export interface CallFilterRules {
  contacts: readonly Schema<'ContactDto'>[];
  schoolTimes?: Schema<'SchoolTimesDto'>;
  strangers?: Schema<'StrangerRuleDto'>;
}

/** Why the telephone stays silent; `undefined`: it rings. Strangers are refused unless the parents say otherwise. */
export function silenceReason(caller: PhoneCaller, rules: CallFilterRules, now: number): BlockCause | undefined {
  const { contacts, schoolTimes, strangers } = rules;
  const contact = contacts.find((each) => isSame(each, caller));
  const isAllowed = (strangers?.allowNumbers ?? []).some((each) => isSame(each, caller) && each.expiresAt > now);
  if (!contact?.canCall && (strangers?.enabled ?? true) && !isAllowed) return 'STRANGER';
  const school = schoolTimes?.items.find(({ schoolTimeId }) => schoolTimeId === schoolTimes.current);
  if (!school || contact?.schoolAllowed) return undefined;
  return contact && school.allowContacts.includes(contact.refId) ? undefined : 'SCHOOL_TIME';
}

function isSame(one: PhoneCaller, other: PhoneCaller): boolean {
  return one.areaCode === other.areaCode && one.phoneNumber === other.phoneNumber;
}
