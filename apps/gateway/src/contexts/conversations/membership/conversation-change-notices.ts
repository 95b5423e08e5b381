import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import type {
  ConversationChange,
  ConversationChangePayload,
} from '@family-watch/domain/messages/contracts/conversation';
import { toMailboxEntries } from '../../mailbox/mailbox-entry.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import type { PlannedMember } from './conversation-plan.js';
import type { MembershipChange } from './membership-change.js';

/** Where a change comes from. */
export interface ChangeCause {
  /** Id of the event. */
  id: string;
  /** Unix milliseconds. */
  time: number;
}

/** Who a member is to the gateway; `undefined` for a child without a watch. */
export function memberPrincipal({
  member,
  cid,
  did,
}: Pick<PlannedMember, 'member' | 'cid' | 'did'>): PrincipalKey | undefined {
  if (cid === null) return member as PrincipalKey;
  return did === null ? undefined : `watch:${did}`;
}

/**
 * ConversationChangeNoticeMessage to those concerned: it is new to who joins, changed for who stays, closed for who
 * leaves. Whoever has left the family, too, is told nothing.
 */
export function conversationChangeNotices(
  { conversationId, joined, stayed, left }: MembershipChange,
  cause: ChangeCause,
): MailboxEntry[] {
  if (joined.length + left.length === 0) return [];
  const tell = (members: readonly PlannedMember[], change: ConversationChange) =>
    members.flatMap((member) => conversationChangeNoticeFor(member, { conversationId, change }, cause));
  return [...tell(joined, 'CREATED'), ...tell(stayed, 'MEMBERS_CHANGED'), ...tell(left, 'CLOSED')];
}

/** The notice about a conversation for one of its members, if the member can be reached. */
export function conversationChangeNoticeFor(
  member: PlannedMember,
  payload: ConversationChangePayload,
  cause: ChangeCause,
): MailboxEntry[] {
  const recipient = memberPrincipal(member);
  if (!recipient) return [];
  const { familyId, cid, did } = member;
  const { conversationId, change, messageId = '' } = payload;
  return toMailboxEntries([recipient], {
    familyId,
    cid,
    audience: 'MEMBERS',
    source: [cause.id, conversationId, change, messageId].join(':'),
    kind: 'ConversationChangeNoticeMessage',
    time: cause.time,
    from: SYSTEM_SENDER,
    did,
    payload,
  });
}
