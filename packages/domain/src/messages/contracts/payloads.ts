import type { ContactChange } from '../../contacts/contracts/contact.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Location } from '../../locations/contracts/location.js';
import type { SettingsAck } from '../../watch-settings/contracts/settings-state.js';
import type { WatchShutdownCause, WatchStartCause } from '../../watches/contracts/watch.js';

/** HeartbeatMessage of a watch; apps send an empty payload. A field that is absent or `null` is unknown, not 0. */
export interface HeartbeatPayload {
  battery?: number | null;
  charging?: boolean | null;
  worn?: boolean | null;
  signal?: number | null;
  signalMax?: number | null;
  stepTotal?: number | null;
  firmwareVersion?: string | null;
}

export const MESSAGE_STATUS = { APPLIED: 'APPLIED', REJECTED: 'REJECTED', READ: 'READ' } as const;
/** Outcome of one message that a client reports. */
export type MessageStatus = (typeof MESSAGE_STATUS)[keyof typeof MESSAGE_STATUS];

export const RECEIPT_STATUS = { DELIVERED: 'DELIVERED', READ: 'READ' } as const;
/** Whether a chat message was delivered or read. */
export type ReceiptStatus = (typeof RECEIPT_STATUS)[keyof typeof RECEIPT_STATUS];

/**
 * AckMessage to the sender of chat messages. The receipt covers `messageId` and all earlier messages of that sender in
 * the conversation. A newer receipt replaces an undelivered older receipt.
 */
export interface ReceiptPayload {
  conversationId: string;
  messageId: string;
  /** Sequence number of the message `messageId` in the conversation. */
  conversationSeq: number;
  status: ReceiptStatus;
  by: PrincipalKey;
}

/**
 * AckMessage from a client: cumulative for the client's session (`seq`), or for one message (`messageId` and `status`).
 */
export interface AckPayload {
  seq?: number;
  messageId?: string;
  status?: MessageStatus;
  version?: number;
  reason?: string;
}

export const BIND_STATE = { BOUND: 'BOUND', UNBOUND: 'UNBOUND' } as const;
export type BindState = (typeof BIND_STATE)[keyof typeof BIND_STATE];

export interface DeviceBindStateChangePayload {
  did: number;
  cid: string;
  state: BindState;
  by: PrincipalKey;
}

/**
 * LocationPointChangeMessage from a watch. The service validates each point separately and returns a result per point.
 */
export interface LocationReportPayload {
  points: unknown[];
}

/** LocationPointChangeMessage to a guardian. */
export interface LocationChangePayload {
  did: number;
  cid: string;
  location: Location;
}

export interface ContactsChangePayload {
  did: number;
  version: number;
  change: ContactChange;
  refId: string;
}

/** `time`: Unix milliseconds by the watch's clock; omitted if the clock is not set. */
export interface WatchStartupReport {
  time?: number;
  cause: WatchStartCause;
}

export interface WatchStartupPayload {
  did: number;
  time: number;
  cause: WatchStartCause;
}

export interface WatchShutdownReport {
  time?: number;
  cause: Exclude<WatchShutdownCause, 'LOST_CONNECTION'>;
}

export interface WatchShutdownPayload {
  did: number;
  time: number;
  cause: WatchShutdownCause;
}

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
