import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { MessageKind } from './message-kinds.js';
import type { MessageStatus } from './payloads.js';

/** Key: the principal that acknowledged. */
export interface MessageEvents {
  /** A recipient said what became of one message; `did` and `cid` are those of the message. */
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
