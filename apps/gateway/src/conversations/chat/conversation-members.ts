import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { ChatKind, MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { Audience } from '@family-watch/domain/messages/contracts/message-center';
import type { Sender } from '@family-watch/domain/messages/contracts/message-kinds';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';

/** An active member of a conversation, with the data that delivery needs. */
export interface ActiveMember {
  member: MemberKey;
  /** Principal of the member, or `undefined` for a child without a watch. */
  principal: PrincipalKey | undefined;
  familyId: string;
  /** Id of the child, or `null` if the member is a user. */
  cid: string | null;
  did: number | null;
}

/** The active members of a conversation at one revision. */
export interface ConversationMembers {
  revision: number;
  audience: Audience;
  activeMembers: readonly ActiveMember[];
}

/** A message with its sequence number in the conversation. */
export interface ChatMessageRow {
  conversationId: string;
  conversationSeq: number;
  id: string;
  member: MemberKey;
  from: Sender;
  kind: ChatKind;
  /** Unix milliseconds. */
  time: number;
  payload: object;
  /** `payload` as JSON. */
  payloadText: string;
}

/**
 * Adds to `entries` one mailbox entry per member that has a principal. The entry of the sender excludes
 * `session`, which sent the message. A watch has only one session, so it gets no entry for its own message.
 */
export function addMailboxEntries(
  entries: MailboxEntry[],
  message: ChatMessageRow,
  sender: ActiveMember,
  { audience, activeMembers }: ConversationMembers,
  session: string,
): void {
  const { conversationId, conversationSeq, payloadText } = message;
  const chat = { conversationId, conversationSeq, payloadBytes: Buffer.byteLength(payloadText) };
  for (const recipient of activeMembers) {
    const { principal } = recipient;
    if (principal === undefined) continue;
    const isSender = recipient === sender;
    if (isSender && recipient.cid !== null) continue;
    const child = subjectChildOf(recipient, sender, { audience, activeMembers });
    entries.push({
      recipient: principal,
      id: message.id,
      kind: message.kind,
      time: message.time,
      expiresAt: null,
      from: message.from,
      did: child?.did ?? null,
      cid: child?.cid ?? null,
      familyId: recipient.familyId,
      audience,
      replaceKey: null,
      payload: message.payload,
      exceptSession: isSender ? session : undefined,
      chat,
      isNew: true,
    });
  }
}

/**
 * Returns the child that a message is about: for a watch, its own child; for a user, the sending child, or else the
 * child of the direct conversation.
 */
export function subjectChildOf(
  recipient: ActiveMember,
  sender: ActiveMember,
  { audience, activeMembers }: Pick<ConversationMembers, 'audience' | 'activeMembers'>,
): ActiveMember | undefined {
  if (recipient.cid !== null) return recipient;
  if (sender.cid !== null) return sender;
  return audience === 'FAMILY_GROUP' ? undefined : activeMembers.find(({ cid }) => cid !== null);
}
