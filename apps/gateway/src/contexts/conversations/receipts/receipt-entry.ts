import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ReceiptPayload, ReceiptStatus } from '@family-watch/domain/messages/contracts/payloads';
import { deriveMessageId } from '../../../protocol/message-id.js';
import { subjectChildOf } from '../chat/chat-delivery.js';
import type { ConversationMembers, ActiveMember } from '../chat/conversation-cache.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';

export interface ChatReceipt {
  status: ReceiptStatus;
  message: Pick<ReceiptPayload, 'conversationId' | 'messageId' | 'conversationSeq'>;
  by: ActiveMember;
  to: ActiveMember;
  audible: ConversationMembers;
  /** Unix milliseconds. */
  time: number;
}

/**
 * AckMessage to `to`: `by` has, or has read, what `to` said up to this message. It takes the place of an older one of
 * the same reader and conversation. None if either is a child without a watch.
 */
export function toReceiptEntry({ status, message, by, to, audible, time }: ChatReceipt): MailboxEntry[] {
  if (by.principal === undefined || to.principal === undefined) return [];
  const { conversationId, messageId, conversationSeq } = message;
  const payload: ReceiptPayload = { conversationId, messageId, conversationSeq, status, by: by.principal };
  const thread = `AckMessage:${conversationId}:${status}:${by.principal}`;
  const [type, id] = by.principal.split(':') as [MessageParty, string];
  const child = subjectChildOf(to, by, audible.activeMembers);
  return [
    {
      recipient: to.principal,
      id: deriveMessageId(`${thread}:${conversationSeq}:${to.principal}`),
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
