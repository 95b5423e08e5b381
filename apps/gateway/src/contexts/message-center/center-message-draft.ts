import type {
  DeliverySubject,
  CenterMessageParams,
  CenterMessageType,
} from '@family-watch/domain/messages/contracts/message-center';

/** A center message before its recipients are resolved. */
export interface CenterMessageDraft extends DeliverySubject {
  /** Id of the event, or key of the request, that causes the message. A user gets one message per source and type. */
  source: string;
  type: CenterMessageType;
  params: CenterMessageParams;
  did: number | null;
  /** Unix milliseconds. */
  time: number;
  /** The recipients; if absent, all members of the family that the audience selects. */
  userIds?: readonly string[];
  /** Key by which an urgent alert can be cancelled, see `UrgentAlertsService.cancel`. */
  alertKey?: string;
  /**
   * Id of the event that creates this version of a message; only set for messages that are updated. A new version
   * replaces the message of the same source and type, and keeps the read state of the message.
   */
  version?: string;
}

/** A center message for one recipient. */
export interface CenterMessageEntry extends Omit<CenterMessageDraft, 'userIds' | 'source'> {
  userId: string;
  messageId: string;
}
