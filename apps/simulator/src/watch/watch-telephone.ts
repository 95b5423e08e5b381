import { responseData } from '@family-watch/client/rest/response-data';
import type { BlockCause } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import { retryUntilAvailable } from '../retry.js';
import { silenceReason } from './call-filter.js';
import type { PhoneCaller } from './call-filter.js';
import type { WatchConnection } from './watch-link.js';
import type { WatchSettings } from './watch-settings.js';

/** Simulates phone calls to the watch's number, which the service receives only as reports of the watch. */
export class WatchTelephone {
  constructor(
    private readonly link: WatchConnection,
    private readonly settings: WatchSettings,
  ) {}

  /** Handles an incoming call. @returns why the call was silenced and reported, or `undefined` if the watch rings */
  async ring(caller: PhoneCaller): Promise<BlockCause | undefined> {
    const time = Date.now();
    const { SCHOOL_DISABLE: schoolTimes, REJECT_STRANGER: strangers } = this.settings.current;
    const { api, did } = this.link;
    const params = { query: { deviceId: did } };
    const contacts = await retryUntilAvailable(() =>
      responseData(api.GET('/apis/v2/userctx/user/device/contacts/list', { params })),
    );
    const cause = silenceReason(caller, { contacts: contacts.items, schoolTimes, strangers }, time);
    this.link.log(cause === undefined ? 'rings' : `silences a call of ${caller.phoneNumber}: ${cause}`);
    // The watch reports all calls of strangers and silenced calls of contacts, but no call of a contact that rings.
    if (cause === undefined && contacts.items.some(({ phoneNumber }) => phoneNumber === caller.phoneNumber))
      return cause;
    const outcome = cause === undefined ? ({ outcome: 'ALLOWED' } as const) : ({ outcome: 'BLOCKED', cause } as const);
    const body = { calls: [{ time, ...caller, ...outcome }] };
    await retryUntilAvailable(() => api.POST('/apis/v2/userctx/watch/blocked-call/report', { body }));
    return cause;
  }
}
