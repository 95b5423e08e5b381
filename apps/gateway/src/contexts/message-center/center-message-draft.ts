import type { CenterMessageParams, CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { DeliverySubject } from '../../protocol/delivery-access.js';

/** Something that people are told in the message centre. */
export interface CenterMessageDraft extends DeliverySubject {
  /** Id of the event or key of the request that it comes from: each person is told once per source and type. */
  source: string;
  type: CenterMessageType;
  params: CenterMessageParams;
  did: number | null;
  /** Unix milliseconds. */
  time: number;
  /** Who is told; absent means everybody of the family whom its subject is for. */
  userIds?: readonly string[];
  /** An urgent alert about it is called off by this name, see `UrgentAlertsService.callOff`. */
  about?: string;
  /**
   * Id of the event, for news that go on: what `source` told before is brought up to date with it, and is as read as
   * it was. Nobody gets a second message.
   */
  version?: string;
}

/** News as one person gets them. */
export interface CenterMessageEntry extends Omit<CenterMessageDraft, 'userIds' | 'source'> {
  userId: string;
  messageId: string;
}
