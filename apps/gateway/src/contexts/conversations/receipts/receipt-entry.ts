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
  members: ConversationMembers;
  /** Unix milliseconds. */
  time: number;
}

/**
 * Creates the AckMessage which notifies `to` that `by` has received, or read, the messages of `to` up to `message`. The
 * AckMessage replaces an older receipt of the same reader and conversation. Returns no entry if `by` or `to` is a child
 * without a watch.
 */
export function toReceiptEntry({ status, message, by, to, members, time }: ChatReceipt): MailboxEntry[] {
  if (by.principal === undefined || to.principal === undefined) return [];
  const { conversationId, messageId, conversationSeq } = message;
  const payload: ReceiptPayload = { conversationId, messageId, conversationSeq, status, by: by.principal };
  const replaceKey = `AckMessage:${conversationId}:${status}:${by.principal}`;
  const [type, id] = by.principal.split(':') as [MessageParty, string];
  const child = subjectChildOf(to, by, members.activeMembers);
  return [
    {
      recipient: to.principal,
      id: deriveMessageId(`${replaceKey}:${conversationSeq}:${to.principal}`),
      kind: 'AckMessage',
      time,
      expiresAt: null,
      from: { type, id },
      did: child?.did ?? null,
      cid: child?.cid ?? null,
      familyId: to.familyId,
      audience: members.audience,
      replaceKey,
      payload,
    },
  ];
}
