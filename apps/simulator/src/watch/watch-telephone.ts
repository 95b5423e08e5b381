import { responseData, type Schema } from '@family-watch/client';
import type { BlockCause } from '@family-watch/domain/watches/contracts/stranger-rule';
import { retryUntilAvailable } from '../retry.js';
import type { WatchConnection } from './watch-connection.js';
import type { WatchSettings } from './watch-settings.js';

/** A caller in the telephone network. */
export interface PhoneCaller {
  /** Country calling code with the `+`. */
  areaCode: string;
  phoneNumber: string;
}

/**
 * The settings that determine whether the watch rings. A setting that was never changed is absent; its default applies.
 */
export interface CallFilterRules {
  contacts: readonly Schema<'ContactDto'>[];
  schoolTimes?: Schema<'SchoolTimesDto'>;
  strangers?: Schema<'StrangerRuleDto'>;
}

/** Returns why the watch silences a call, or `undefined` if the watch rings. Strangers are blocked by default. */
export function findBlockCause(caller: PhoneCaller, rules: CallFilterRules, now: number): BlockCause | undefined {
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

/** Simulates phone calls to the watch's number. The service learns of such calls only from the reports of the watch. */
export class WatchTelephone {
  constructor(
    private readonly connection: WatchConnection,
    private readonly settings: WatchSettings,
  ) {}

  /** Handles an incoming call. @returns why the call was silenced and reported, or `undefined` if the watch rings */
  async ring(caller: PhoneCaller): Promise<BlockCause | undefined> {
    const time = Date.now();
    const { SCHOOL_DISABLE: schoolTimes, REJECT_STRANGER: strangers } = this.settings.current;
    const { api, did } = this.connection;
    const params = { query: { deviceId: did } };
    const contacts = await retryUntilAvailable(() =>
      responseData(api.GET('/apis/v2/userctx/user/device/contacts/list', { params })),
    );
    const cause = findBlockCause(caller, { contacts: contacts.items, schoolTimes, strangers }, time);
    this.connection.log(cause === undefined ? 'rings' : `silences a call of ${caller.phoneNumber}: ${cause}`);
    // The watch reports all calls of strangers, and calls of contacts only if they were silenced.
    if (cause === undefined && contacts.items.some((contact) => isSameCaller(contact, caller))) return cause;
    const outcome = cause === undefined ? ({ outcome: 'ALLOWED' } as const) : ({ outcome: 'BLOCKED', cause } as const);
    const body = { calls: [{ time, ...caller, ...outcome }] };
    await retryUntilAvailable(() => api.POST('/apis/v2/userctx/watch/blocked-call/report', { body }));
    return cause;
  }
}
