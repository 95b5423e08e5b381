import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ReceiptPayload, ReceiptStatus } from '@family-watch/domain/messages/contracts/payloads';
import { deriveMessageId } from '../../mailbox/mailbox-entry.js';
import { subjectChildOf } from '../chat/chat-delivery.js';
import type { ConversationMembers, ActiveMember } from '../chat/conversation-cache.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';

export interface ChatReceipt {
  status: ReceiptStatus;
  message: Pick<ReceiptPayload, 'conversationId' | 'messageId' | 'conversationSeq'>;
  reader: ActiveMember;
  author: ActiveMember;
  members: ConversationMembers;
  /** Unix milliseconds. */
  time: number;
}

/**
 * Creates the AckMessage which notifies `author` that `reader` has received, or read, the author's messages up to
 * `message`. The AckMessage replaces an older receipt of the same reader and conversation. Returns no entry if the
 * author or the reader is a child without a watch.
 */
export function toReceiptEntry({ status, message, reader, author, members, time }: ChatReceipt): MailboxEntry[] {
  if (reader.principal === undefined || author.principal === undefined) return [];
  const { conversationId, messageId, conversationSeq } = message;
  const payload: ReceiptPayload = { conversationId, messageId, conversationSeq, status, by: reader.principal };
  const replaceKey = `AckMessage:${conversationId}:${status}:${reader.principal}`;
  const [type, id] = reader.principal.split(':') as [MessageParty, string];
  const child = subjectChildOf(author, reader, members.activeMembers);
  return [
    {
      recipient: author.principal,
      id: deriveMessageId(`${replaceKey}:${conversationSeq}:${author.principal}`),
      kind: 'AckMessage',
      time,
      expiresAt: null,
      from: { type, id },
      did: child?.did ?? null,
      cid: child?.cid ?? null,
      familyId: author.familyId,
      audience: members.audience,
      replaceKey,
      payload,
    },
  ];
}
