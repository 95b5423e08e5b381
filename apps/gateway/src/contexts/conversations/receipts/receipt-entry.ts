import type { Party } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ReceiptPayload, ReceiptStatus } from '@family-watch/domain/messages/contracts/payloads';
import { messageIdOf } from '../../../protocol/message-id.js';
import { subjectChildOf } from '../chat/chat-delivery.js';
import type { Audible, Listener } from '../chat/conversation-cache.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';

export interface Receipt {
  status: ReceiptStatus;
  message: Pick<ReceiptPayload, 'conversationId' | 'messageId' | 'conversationSeq'>;
  by: Listener;
  to: Listener;
  audible: Audible;
  /** Unix milliseconds. */
  time: number;
}

/**
 * AckMessage to `to`: `by` has, or has read, what `to` said up to this message. It takes the place of an older one of
 * the same reader and conversation. None if either is a child without a watch.
 */
export function receiptFor({ status, message, by, to, audible, time }: Receipt): MailboxEntry[] {
  if (by.principal === undefined || to.principal === undefined) return [];
  const { conversationId, messageId, conversationSeq } = message;
  const payload: ReceiptPayload = { conversationId, messageId, conversationSeq, status, by: by.principal };
  const thread = `AckMessage:${conversationId}:${status}:${by.principal}`;
  const [type, id] = by.principal.split(':') as [Party, string];
  const child = subjectChildOf(to, by, audible.listeners);
  return [
    {
      recipient: to.principal,
      id: messageIdOf(`${thread}:${conversationSeq}:${to.principal}`),
      kind: 'AckMessage',
      time,
      expiresAt: null,
      from: { type, id },
      did: child?.did ?? null,
      cid: child?.cid ?? null,
      familyId: to.familyId,
      audience: audible.audience,
      replaceKey: thread,
      payload,
    },
  ];
}
