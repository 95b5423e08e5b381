/** What a message of the message centre is about; subscriptions are per category. */
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

/** URGENT passes quiet hours; nobody can unsubscribe from an urgent SOS. */
export const SEVERITY = { INFO: 'INFO', WARNING: 'WARNING', URGENT: 'URGENT' } as const;
export type Severity = (typeof SEVERITY)[keyof typeof SEVERITY];

/** MessageCenterChangeNoticeMessage. */
export interface MessageCenterChangePayload {
  category: CenterCategory;
  severity: Severity;
  messageId: string;
  /** Unread messages of the centre with this one, at the time it was stored. */
  unread: number;
}
