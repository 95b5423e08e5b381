import { responseData } from '@family-watch/client/rest/response-data';
import type { BlockCause } from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import { retryUntilAvailable } from '../retry.js';
import { silenceReason } from './call-filter.js';
import type { PhoneCaller } from './call-filter.js';
import type { WatchConnection } from './watch-link.js';
import type { WatchSettings } from './watch-settings.js';

/** The number of the watch in the telephone network, which the service does not see: the watch tells of it. */
export class WatchTelephone {
  constructor(
    private readonly link: WatchConnection,
    private readonly settings: WatchSettings,
  ) {}

  /** Somebody calls. @returns why it does not ring, which was reported then; `undefined`: it rings */
  async ring(caller: PhoneCaller): Promise<BlockCause | undefined> {
    const time = Date.now();
    const { SCHOOL_DISABLE: schoolTimes, REJECT_STRANGER: strangers } = this.settings.current;
    const { api, did } = this.link;
    const params = { query: { deviceId: did } };
    const known = await retryUntilAvailable(() =>
      responseData(api.GET('/apis/v2/userctx/user/device/contacts/list', { params })),
    );
    const cause = silenceReason(caller, { contacts: known.items, schoolTimes, strangers }, time);
    this.link.log(cause === undefined ? 'rings' : `stays silent while ${caller.phoneNumber} calls: ${cause}`);
    // What the child's own contacts do is nobody's log; a stranger who got through has used up an allowance.
    if (cause === undefined && known.items.some(({ phoneNumber }) => phoneNumber === caller.phoneNumber)) return cause;
    const outcome = cause === undefined ? ({ outcome: 'ALLOWED' } as const) : ({ outcome: 'BLOCKED', cause } as const);
    const body = { calls: [{ time, ...caller, ...outcome }] };
    await retryUntilAvailable(() => api.POST('/apis/v2/userctx/watch/blocked-call/report', { body }));
    return cause;
  }
}
