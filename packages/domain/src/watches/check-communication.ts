import { dateOfDayNumber, type SchoolRange } from './contracts/school-time.js';
import { schoolHoursAt, type SchoolHours } from './schedule/school-hours.js';
import type { ChildRules, ContactRule } from './contracts/child-rules.js';

interface IndexedRange extends SchoolRange {
  /** Index of the school time in `ChildRules.schoolTimes`. */
  index: number;
}

/**
 * Finds the school time of one child that is active at a given time. The last result is cached while it is valid,
 * because computing local dates takes far longer than delivering a message.
 */
export class SchoolTimeLookup {
  private readonly ranges: readonly IndexedRange[];
  private readonly timeZone: string;
  private readonly pausedOn: string | null;
  private cachedHours: (SchoolHours<IndexedRange> & { validFrom: number }) | undefined;

  constructor({ schoolTimes, timeZone, pausedOn }: Pick<ChildRules, 'schoolTimes' | 'timeZone' | 'pausedOn'>) {
    this.timeZone = timeZone;
    this.pausedOn = pausedOn;
    this.ranges = schoolTimes.map((range, index) => ({
      ...range,
      index,
      schoolTimeId: String(index),
      enabled: true,
      holidays: range.holidays.map(dateOfDayNumber),
      extraDates: range.extraDates.map(dateOfDayNumber),
    }));
  }

  /**
   * Returns the index in `ChildRules.schoolTimes` and the end of the school time that is active at `time`; undefined if
   * none is active. Times are in Unix milliseconds.
   */
  schoolTimeAt(time: number): { index: number; until: number } | undefined {
    if (this.ranges.length === 0) return undefined;
    const { range, until } = this.cachedHoursAt(time);
    return range && { index: range.index, until };
  }

  private cachedHoursAt(time: number): SchoolHours<IndexedRange> {
    const { cachedHours: cached } = this;
    if (cached && cached.validFrom <= time && time < cached.until) return cached;
    const hours = schoolHoursAt(this.ranges, { pausedOn: this.pausedOn }, this.timeZone, time);
    this.cachedHours = { ...hours, validFrom: time };
    return hours;
  }
}

/**
 * Channels between a person and a watch, in both directions. The service checks only these channels; the watch itself
 * blocks calls over the phone network.
 */
export const COMMUNICATION_CHANNEL = { CHAT: 'CHAT', VIDEO: 'VIDEO' } as const;
export type CommunicationChannel = (typeof COMMUNICATION_CHANNEL)[keyof typeof COMMUNICATION_CHANNEL];

/** Why communication is refused. `until`: end of the school time in Unix milliseconds. */
export type CommunicationRefusal = { reason: 'SCHOOL_TIME'; until: number } | { reason: 'CONTACT_NOT_ALLOWED' };

/** Child rules prepared for fast checks. */
export interface CompiledChildRules extends Pick<ChildRules, 'familyId' | 'familyVersion' | 'cid' | 'version'> {
  /** The contact rules by `userId`. */
  contacts: ReadonlyMap<string, ContactRule>;
  schoolTimeLookup: SchoolTimeLookup;
}

export function compileChildRules(rules: ChildRules): CompiledChildRules {
  const { familyId, familyVersion, cid, version, contacts } = rules;
  return {
    familyId,
    familyVersion,
    cid,
    version,
    contacts: new Map(contacts.map((contact) => [contact.userId, contact])),
    schoolTimeLookup: new SchoolTimeLookup(rules),
  };
}

/**
 * Returns undefined if the child's watch and a family member may communicate at `time` (Unix milliseconds), otherwise
 * the refusal. The result is not reliable if {@link areRulesStale} returns true for the member.
 */
export function checkMember(
  rules: CompiledChildRules,
  userId: string,
  channel: CommunicationChannel,
  time: number,
): CommunicationRefusal | undefined {
  const contact = rules.contacts.get(userId);
  if (!contact || !allowsChannel(contact, channel)) return { reason: 'CONTACT_NOT_ALLOWED' };
  if (contact.schoolAllowed) return undefined;
  const school = rules.schoolTimeLookup.schoolTimeAt(time);
  if (!school || contact.allowedIn.includes(school.index)) return undefined;
  return { reason: 'SCHOOL_TIME', until: school.until };
}

/**
 * Returns undefined if the child's watch may communicate with a friend's watch or in the family group at `time` (Unix
 * milliseconds), otherwise the refusal. No contact rule applies to this communication, only school time.
 */
export function checkWithoutContact(rules: CompiledChildRules, time: number): CommunicationRefusal | undefined {
  const school = rules.schoolTimeLookup.schoolTimeAt(time);
  return school && { reason: 'SCHOOL_TIME', until: school.until };
}

/**
 * Returns true if the rules contain no contact rule for the user but were built from an older version of the family
 * than `familyVersion`. The user may have become a member since.
 */
export function areRulesStale(rules: CompiledChildRules, userId: string, familyVersion: number): boolean {
  return !rules.contacts.has(userId) && rules.familyVersion < familyVersion;
}

/** Returns whether the contact rule allows the channel. A video call requires both `canCall` and `canVideo`. */
function allowsChannel({ canCall, canChat, canVideo }: ContactRule, channel: CommunicationChannel): boolean {
  return channel === COMMUNICATION_CHANNEL.CHAT ? canChat : canCall && canVideo;
}
