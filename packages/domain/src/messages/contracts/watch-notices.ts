import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { SettingsAck } from '../../watch-settings/contracts/settings-state.js';

/**
 * AlarmClockChange-, SchoolDisableChange-, RejectStrangerChange- and DeviceSettingsChangeNoticeMessage: the settings
 * of the watch have reached `version`. The watch pulls them, applies them and answers with AckMessage; what it answers
 * is told to the guardians by another notice of the same version.
 */
export interface SettingsChangePayload {
  did: number;
  version: number;
  /** What the watch made of this version; absent while it has not answered. */
  state?: SettingsAck['status'];
}

export const FRIEND_REQUEST_STATE = {
  APPLIED: 'APPLIED',
  /** The applicant's own family agrees, the other one has not answered yet. */
  CONFIRMED: 'CONFIRMED',
  ACCEPTED: 'ACCEPTED',
  REJECTED: 'REJECTED',
  ENDED: 'ENDED',
} as const;
export type FriendRequestState = (typeof FRIEND_REQUEST_STATE)[keyof typeof FRIEND_REQUEST_STATE];

/** AddFriendNoticeMessage. `from`: `did` of the watch that applied. */
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
