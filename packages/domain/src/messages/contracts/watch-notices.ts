import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { SettingsAck } from '../../watch-settings/contracts/settings-state.js';

/**
 * AlarmClockChange-, SchoolDisableChange-, RejectStrangerChange- and DeviceSettingsChangeNoticeMessage: the settings of
 * the watch have a new `version`. The watch fetches and applies the new settings and responds with AckMessage. The
 * guardians receive the outcome in a second notice with the same version.
 */
export interface SettingsChangePayload {
  did: number;
  version: number;
  /** Outcome of applying this version on the watch; absent until the watch has acknowledged the version. */
  state?: SettingsAck['status'];
}

export const FRIEND_REQUEST_STATE = {
  APPLIED: 'APPLIED',
  /** The requesting child's family has agreed; the family of the other child decides. */
  CONFIRMED: 'CONFIRMED',
  ACCEPTED: 'ACCEPTED',
  REJECTED: 'REJECTED',
  ENDED: 'ENDED',
} as const;
export type FriendRequestState = (typeof FRIEND_REQUEST_STATE)[keyof typeof FRIEND_REQUEST_STATE];

/** AddFriendNoticeMessage. `from`: `did` of the watch that sent the request. */
export interface AddFriendPayload {
  applicationId: string;
  from: number;
  state: FriendRequestState;
}

/** AskLocationPointNoticeMessage. `deadline`: Unix milliseconds. */
export interface AskLocationPointPayload {
  askId: string;
  by: PrincipalKey;
  deadline: number;
}

/** RemoteControlShutdown-, RemoteControlReboot- and RemoteControlFindNoticeMessage. */
export interface RemoteControlPayload {
  commandId: string;
}
