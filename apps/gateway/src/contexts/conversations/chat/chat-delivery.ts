import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import type { ChatMessageRow } from './chat-message.repository.js';
import type { ConversationMembers, ActiveMember } from './conversation-cache.js';

/**
 * One entry per member who can be reached; the sender gets it only in other sessions than `session`. A watch has one
 * place to read at, so it is never told what it said itself.
 */
export function addMailboxEntries(
  entries: MailboxEntry[],
  message: ChatMessageRow,
  speaker: ActiveMember,
  { audience, activeMembers }: ConversationMembers,
  session: string,
): void {
  for (const listener of activeMembers) {
    const { principal } = listener;
    if (principal === undefined) continue;
    const isEcho = listener === speaker;
    if (isEcho && listener.cid !== null) continue;
    const child = subjectChildOf(listener, speaker, activeMembers);
    entries.push({
      recipient: principal,
      id: message.id,
      kind: message.kind,
      time: message.time,
      expiresAt: null,
      from: message.from,
      did: child?.did ?? null,
      cid: child?.cid ?? null,
      familyId: listener.familyId,
      audience,
      replaceKey: null,
      payload: message.payload,
      exceptSession: isEcho ? session : undefined,
      isNew: true,
    });
  }
}

/** The child that a message is about: of a watch its own; of a person the one who speaks, or who is spoken to alone. */
export function subjectChildOf(
  listener: ActiveMember,
  speaker: ActiveMember,
  listeners: readonly ActiveMember[],
): ActiveMember | undefined {
  if (listener.cid !== null) return listener;
  if (speaker.cid !== null) return speaker;
  return listeners.length === 2 ? listeners.find(({ cid }) => cid !== null) : undefined;
}
