import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { CenterCategory } from './message-center.js';
import type { MessageKind } from './message-kinds.js';
import type { MessageStatus } from './payloads.js';

export interface MessageEvents {
  /**
   * An urgent alert reached no device of this person in time, by socket or by push; what is left is a text message.
   * Key: `user:<userId>`.
   */
  'gateway.alert.undelivered': {
    userId: string;
    familyId: string;
    cid: string;
    category: CenterCategory;
    messageId: string;
    /** Unix milliseconds of what the alert is about. */
    time: number;
  };
  /** A recipient said what became of one message; `did` and `cid` are those of the message. Key: that principal. */
  'gateway.message.acknowledged': {
    by: PrincipalKey;
    messageId: string;
    kind: MessageKind;
    did: number | null;
    cid: string | null;
    status: MessageStatus;
    version: number | null;
    reason: string | null;
  };
}
