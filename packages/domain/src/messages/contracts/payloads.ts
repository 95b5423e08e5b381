import type { ContactChange } from '../../families/contracts/contact.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { ErrorDetail } from '../../kernel/contracts/service-error.js';
import type { Location } from '../../locations/contracts/location.js';
import type { SettingsAck } from '../../watches/contracts/settings-state.js';
import type { WatchShutdownCause, WatchStartCause } from '../../watches/contracts/watch.js';

/**
 * HeartbeatMessage from a watch. Phones send an empty payload. A field that is absent or `null` is unknown, not 0.
 * `battery`: per cent. `stepTotal`: step counter since enrolment or reset.
 */
export interface HeartbeatPayload {
  battery?: number | null;
  charging?: boolean | null;
  worn?: boolean | null;
  signal?: number | null;
  signalMax?: number | null;
  stepTotal?: number | null;
  firmwareVersion?: string | null;
}

/** Fields in the response to a heartbeat. `rejected`: the violated rules of invalid fields, which were dropped. */
export interface HeartbeatResult {
  rejected?: ErrorDetail[];
}

/** Outcome of one message, as a client reports it. */
export const MESSAGE_STATUS = { APPLIED: 'APPLIED', REJECTED: 'REJECTED', READ: 'READ' } as const;
export type MessageStatus = (typeof MESSAGE_STATUS)[keyof typeof MESSAGE_STATUS];

/** Whether a chat message was delivered to a recipient or read. */
export const RECEIPT_STATUS = { DELIVERED: 'DELIVERED', READ: 'READ' } as const;
export type ReceiptStatus = (typeof RECEIPT_STATUS)[keyof typeof RECEIPT_STATUS];

/**
 * AckMessage to the sender of chat messages: a receipt of the recipient `by`. The receipt covers `messageId` and all
 * earlier messages of that sender in the conversation. A newer receipt replaces an undelivered older receipt.
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
 * AckMessage from a client. Either `seq`: the session has received all durable messages up to this sequence number; or
 * `messageId` and `status`: the outcome of one message.
 */
export interface AckPayload {
  seq?: number;
  messageId?: string;
  status?: MessageStatus;
  version?: number;
  reason?: string;
}

/** LOST: the watch is bound and in lost mode. BOUND is also sent when the lost mode ends. */
export const BIND_STATE = { BOUND: 'BOUND', UNBOUND: 'UNBOUND', LOST: 'LOST' } as const;
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
  /** Null for a child without a watch; only a CHILD_UPDATED is sent then. */
  did: number | null;
  version: number;
  change: ContactChange;
  /** The changed contact; for CHILD_UPDATED the `cid`. */
  refId: string;
}

/**
 * WristwatchStartupNoticeMessage from a watch. `time`: Unix milliseconds on the watch's clock, omitted if it is not
 * set.
 */
export interface WatchStartupReport {
  time?: number;
  cause: WatchStartCause;
}

/** WristwatchStartupNoticeMessage to a guardian. `time`: Unix milliseconds. */
export interface WatchStartupPayload {
  did: number;
  time: number;
  cause: WatchStartCause;
}

/** WristwatchShutdownNoticeMessage from a watch. `time`: as in {@link WatchStartupReport}. */
export interface WatchShutdownReport {
  time?: number;
  cause: Exclude<WatchShutdownCause, 'LOST_CONNECTION'>;
}

/** WristwatchShutdownNoticeMessage to a guardian. `time`: Unix milliseconds. */
export interface WatchShutdownPayload {
  did: number;
  time: number;
  cause: WatchShutdownCause;
}

/**
 * AlarmClockChange-, SchoolDisableChange-, RejectStrangerChange- and DeviceSettingsChangeNoticeMessage: the settings of
 * the watch have a new `version`. The watch fetches and applies the new settings, and responds with an AckMessage. The
 * guardians then receive a second notice with the same version and the outcome in `state`.
 */
export interface SettingsChangePayload {
  did: number;
  version: number;
  /** Outcome of applying this version on the watch; absent until the watch has acknowledged the version. */
  state?: SettingsAck['status'];
}

/** States of a friend request and of the friendship that results from it. */
export const FRIEND_REQUEST_STATE = {
  /** The requesting child's family has not agreed yet. */
  APPLIED: 'APPLIED',
  /** The requesting child's family has agreed; the family of the requested child has not decided yet. */
  CONFIRMED: 'CONFIRMED',
  /** Both families have agreed: the children are friends. */
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

/** AskLocationPointNoticeMessage: a location request. `by`: who requests. `deadline`: its expiry, Unix milliseconds. */
export interface AskLocationPointPayload {
  askId: string;
  by: PrincipalKey;
  deadline: number;
}

/** RemoteControlShutdown-, RemoteControlReboot- and RemoteControlFindNoticeMessage. */
export interface RemoteControlPayload {
  commandId: string;
}
