import type { ChildPermission } from '../../families/contracts/family-role.js';

/**
 * Highest count of unread center messages, so that the cost of publishing does not grow with the number of messages
 * that a person never reads. Apps show 100 as "99+".
 */
export const MAX_UNREAD_COUNT = 100;

/** Category of a center message; subscriptions are per category. */
export const CENTER_CATEGORY = {
  SOS: 'SOS',
  FENCE: 'FENCE',
  LOCATION: 'LOCATION',
  BATTERY: 'BATTERY',
  WATCH: 'WATCH',
  CALL: 'CALL',
  FAMILY: 'FAMILY',
  FRIEND: 'FRIEND',
  APPLICATION: 'APPLICATION',
  SIGN_IN: 'SIGN_IN',
  ALBUM: 'ALBUM',
  ORDER: 'ORDER',
  FIRMWARE: 'FIRMWARE',
} as const;
export type CenterCategory = (typeof CENTER_CATEGORY)[keyof typeof CENTER_CATEGORY];

/** Severity of a center message. A message of severity URGENT is sent as a notification even during quiet hours. */
export const SEVERITY = { INFO: 'INFO', WARNING: 'WARNING', URGENT: 'URGENT' } as const;
export type Severity = (typeof SEVERITY)[keyof typeof SEVERITY];

/** Type of a center message: what happened. Clients create the displayed text from the type and the parameters. */
export const CENTER_MESSAGE_TYPE = {
  SOS_RAISED: 'SOS_RAISED',
  SOS_ACKNOWLEDGED: 'SOS_ACKNOWLEDGED',
  SOS_RESOLVED: 'SOS_RESOLVED',
  BATTERY_LOW: 'BATTERY_LOW',
  WATCH_BOUND: 'WATCH_BOUND',
  WATCH_UNBOUND: 'WATCH_UNBOUND',
  WATCH_LOST_CONNECTION: 'WATCH_LOST_CONNECTION',
  WATCH_BATTERY_EMPTY: 'WATCH_BATTERY_EMPTY',
  CALL_MISSED: 'CALL_MISSED',
  MEMBER_JOINED: 'MEMBER_JOINED',
  MEMBER_LEFT: 'MEMBER_LEFT',
  CHILD_DELETED: 'CHILD_DELETED',
  CHILD_RESTORED: 'CHILD_RESTORED',
  FRIEND_APPLICATION_CHANGED: 'FRIEND_APPLICATION_CHANGED',
  SIGN_IN_NEW: 'SIGN_IN_NEW',
  SESSION_TOKEN_REUSED: 'SESSION_TOKEN_REUSED',
  DATA_EXPORT_CHANGED: 'DATA_EXPORT_CHANGED',
  SOS_ESCALATED: 'SOS_ESCALATED',
  FENCE_ENTERED: 'FENCE_ENTERED',
  FENCE_LEFT: 'FENCE_LEFT',
  FENCE_DWELLED: 'FENCE_DWELLED',
  FENCE_NOT_ARRIVED: 'FENCE_NOT_ARRIVED',
  FENCE_LEFT_EARLY: 'FENCE_LEFT_EARLY',
  LOCATION_SHARED: 'LOCATION_SHARED',
  LOCATION_SHARE_ENDED: 'LOCATION_SHARE_ENDED',
  APPLICATION_MADE: 'APPLICATION_MADE',
  APPLICATION_ANSWERED: 'APPLICATION_ANSWERED',
  OWNERSHIP_CLAIMED: 'OWNERSHIP_CLAIMED',
  OWNERSHIP_CLAIM_ENDED: 'OWNERSHIP_CLAIM_ENDED',
  OWNER_CHANGED: 'OWNER_CHANGED',
  FAMILY_DISSOLVED: 'FAMILY_DISSOLVED',
  CLOUD_TASK_CHANGED: 'CLOUD_TASK_CHANGED',
  ORDER_REQUESTED: 'ORDER_REQUESTED',
  ORDER_CHANGED: 'ORDER_CHANGED',
  FIRMWARE_INSTALLED: 'FIRMWARE_INSTALLED',
  ACCOUNT_DELETION_CHANGED: 'ACCOUNT_DELETION_CHANGED',
  ACCESS_CHANGED: 'ACCESS_CHANGED',
} as const;
export type CenterMessageType = (typeof CENTER_MESSAGE_TYPE)[keyof typeof CENTER_MESSAGE_TYPE];

interface CenterMessageTypeDefinition {
  category: CenterCategory;
  severity: Severity;
  /** Sent also to persons who have disabled the category, because their apps must stop showing what they may not see. */
  isMandatory?: true;
}

/** Category and severity of each type of center message. */
export const CENTER_MESSAGE_TYPES: Readonly<Record<CenterMessageType, CenterMessageTypeDefinition>> = {
  SOS_RAISED: { category: 'SOS', severity: 'URGENT' },
  SOS_ACKNOWLEDGED: { category: 'SOS', severity: 'INFO' },
  SOS_RESOLVED: { category: 'SOS', severity: 'INFO' },
  BATTERY_LOW: { category: 'BATTERY', severity: 'WARNING' },
  WATCH_BOUND: { category: 'WATCH', severity: 'INFO' },
  WATCH_UNBOUND: { category: 'WATCH', severity: 'WARNING' },
  WATCH_LOST_CONNECTION: { category: 'WATCH', severity: 'WARNING' },
  WATCH_BATTERY_EMPTY: { category: 'BATTERY', severity: 'WARNING' },
  CALL_MISSED: { category: 'CALL', severity: 'INFO' },
  MEMBER_JOINED: { category: 'FAMILY', severity: 'INFO' },
  MEMBER_LEFT: { category: 'FAMILY', severity: 'INFO' },
  CHILD_DELETED: { category: 'FAMILY', severity: 'WARNING' },
  CHILD_RESTORED: { category: 'FAMILY', severity: 'INFO' },
  FRIEND_APPLICATION_CHANGED: { category: 'FRIEND', severity: 'INFO' },
  SIGN_IN_NEW: { category: 'SIGN_IN', severity: 'INFO' },
  SESSION_TOKEN_REUSED: { category: 'SIGN_IN', severity: 'WARNING' },
  DATA_EXPORT_CHANGED: { category: 'SIGN_IN', severity: 'WARNING' },
  SOS_ESCALATED: { category: 'SOS', severity: 'URGENT' },
  FENCE_ENTERED: { category: 'FENCE', severity: 'INFO' },
  FENCE_LEFT: { category: 'FENCE', severity: 'INFO' },
  FENCE_DWELLED: { category: 'FENCE', severity: 'INFO' },
  FENCE_NOT_ARRIVED: { category: 'FENCE', severity: 'WARNING' },
  FENCE_LEFT_EARLY: { category: 'FENCE', severity: 'WARNING' },
  LOCATION_SHARED: { category: 'LOCATION', severity: 'WARNING' },
  LOCATION_SHARE_ENDED: { category: 'LOCATION', severity: 'INFO' },
  APPLICATION_MADE: { category: 'APPLICATION', severity: 'INFO' },
  APPLICATION_ANSWERED: { category: 'APPLICATION', severity: 'INFO' },
  OWNERSHIP_CLAIMED: { category: 'FAMILY', severity: 'WARNING' },
  OWNERSHIP_CLAIM_ENDED: { category: 'FAMILY', severity: 'WARNING' },
  OWNER_CHANGED: { category: 'FAMILY', severity: 'WARNING' },
  FAMILY_DISSOLVED: { category: 'FAMILY', severity: 'WARNING' },
  CLOUD_TASK_CHANGED: { category: 'ALBUM', severity: 'INFO' },
  ORDER_REQUESTED: { category: 'ORDER', severity: 'INFO' },
  ORDER_CHANGED: { category: 'ORDER', severity: 'INFO' },
  FIRMWARE_INSTALLED: { category: 'FIRMWARE', severity: 'INFO' },
  ACCOUNT_DELETION_CHANGED: { category: 'FAMILY', severity: 'WARNING' },
  ACCESS_CHANGED: { category: 'FAMILY', severity: 'WARNING', isMandatory: true },
};

/** Ids and plain values from which a client creates the displayed text; no names, phone numbers or locations. */
export type CenterMessageParams = Record<string, string | number | boolean | null>;

/** How long a center message is retained, in milliseconds (90 days). */
export const CENTER_MESSAGE_RETENTION_MS = 90 * 24 * 60 * 60_000;

/** Payload of MessageCenterChangeNoticeMessage. */
export interface MessageCenterChangePayload {
  category: CenterCategory;
  severity: Severity;
  messageId: string;
  /**
   * Number of the recipient's unread center messages when this message was stored, including this message, at most
   * {@link MAX_UNREAD_COUNT}.
   */
  unread: number;
}

/**
 * Rule that selects the recipients of a message about a family. MEMBERS: every member. GUARDIANS: every member who can
 * see the children. FAMILY_GROUP: the members of the family group. A child permission: the members with this permission
 * for the child. A watch receives the messages about its own child, whatever the audience.
 */
export type Audience = 'MEMBERS' | 'GUARDIANS' | 'FAMILY_GROUP' | ChildPermission;

/** The family and child that a message is about, and its audience. They determine who may receive the message. */
export interface DeliverySubject {
  /** `null` if the message belongs to no family; membership is then not checked. */
  familyId: string | null;
  cid: string | null;
  audience: Audience;
}
