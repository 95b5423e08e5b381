import type { ChildRules, ContactRule } from './contracts/child-rules.js';
import { SchoolTimeLookup } from './school-time-lookup.js';

/** How somebody and a watch reach each other; either may begin. What the phone network carries, the watch itself refuses. */
export const COMMUNICATION_CHANNEL = { CHAT: 'CHAT', VIDEO: 'VIDEO' } as const;
export type CommunicationChannel = (typeof COMMUNICATION_CHANNEL)[keyof typeof COMMUNICATION_CHANNEL];

/** Why the two may not, and for school time when it ends (Unix milliseconds). */
export type CommunicationRefusal = { reason: 'SCHOOL_TIME'; until: number } | { reason: 'CONTACT_NOT_ALLOWED' };

/** Rules in the form in which they are asked, for as long as they stand. */
export interface CompiledChildRules extends Pick<ChildRules, 'familyId' | 'familyVersion' | 'cid' | 'version'> {
  contacts: ReadonlyMap<string, ContactRule>;
  school: SchoolTimeLookup;
}

export function compileChildRules(rules: ChildRules): CompiledChildRules {
  const { familyId, familyVersion, cid, version, contacts } = rules;
  return {
    familyId,
    familyVersion,
    cid,
    version,
    contacts: new Map(contacts.map((contact) => [contact.userId, contact])),
    school: new SchoolTimeLookup(rules),
  };
}

/**
 * May the child's watch and this member of the family reach each other at this moment (Unix milliseconds)? Undefined:
 * yes. Rules that are late (see `ChildRules.familyVersion`) say nothing of somebody whom they do not name.
 */
export function checkMember(
  rules: CompiledChildRules,
  userId: string,
  channel: CommunicationChannel,
  time: number,
): CommunicationRefusal | undefined {
  const contact = rules.contacts.get(userId);
  if (!contact || !allows(contact, channel)) return { reason: 'CONTACT_NOT_ALLOWED' };
  if (contact.schoolAllowed) return undefined;
  const now = rules.school.at(time);
  if (!now || contact.allowedIn.includes(now.place)) return undefined;
  return { reason: 'SCHOOL_TIME', until: now.until };
}

/** The same for whom no contact speaks: a befriended child, or the whole of the family's group. */
export function checkWithoutContact(rules: CompiledChildRules, time: number): CommunicationRefusal | undefined {
  const now = rules.school.at(time);
  return now && { reason: 'SCHOOL_TIME', until: now.until };
}

/** Do the rules say nothing of this member because they are older than this version of the family? */
export function areStaleFor(rules: CompiledChildRules, userId: string, familyVersion: number): boolean {
  return !rules.contacts.has(userId) && rules.familyVersion < familyVersion;
}

/** A picture comes with a call: whoever may not call has no picture either. */
function allows({ canCall, canChat, canVideo }: ContactRule, channel: CommunicationChannel): boolean {
  return channel === COMMUNICATION_CHANNEL.CHAT ? canChat : canCall && canVideo;
}
