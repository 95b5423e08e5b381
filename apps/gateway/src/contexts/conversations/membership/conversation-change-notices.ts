import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import type { ConversationChange, ConversationChangePayload } from '@family-watch/domain/messages/contracts/chat';
import { toMailboxEntries } from '../../mailbox/mailbox-entry.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import type { PlannedMember } from './conversation-plan.js';
import type { MembershipChange } from './membership-change.js';

/** The event that caused a change of a conversation's members. */
export interface ChangeCause {
  /** Id of the event. */
  id: string;
  /** Unix milliseconds. */
  time: number;
}

/** Returns the principal of a member, or `undefined` for a child without a watch. */
export function memberPrincipal({
  member,
  cid,
  did,
}: Pick<PlannedMember, 'member' | 'cid' | 'did'>): PrincipalKey | undefined {
  if (cid === null) return member as PrincipalKey;
  return did === null ? undefined : `watch:${did}`;
}

/**
 * Creates notices about a change of members, with `change` CREATED for members who joined, MEMBERS_CHANGED for members
 * who stayed and CLOSED for members who left. A former member who also left the family receives nothing.
 */
export function conversationChangeNotices(
  { conversationId, joinedMembers, remainingMembers, leavingMembers }: MembershipChange,
  cause: ChangeCause,
): MailboxEntry[] {
  if (joinedMembers.length + leavingMembers.length === 0) return [];
  const noticesFor = (members: readonly PlannedMember[], change: ConversationChange) =>
    members.flatMap((member) => conversationChangeNoticeFor(member, { conversationId, change }, cause));
  return [
    ...noticesFor(joinedMembers, 'CREATED'),
    ...noticesFor(remainingMembers, 'MEMBERS_CHANGED'),
    ...noticesFor(leavingMembers, 'CLOSED'),
  ];
}

/** Creates the notice about a conversation for one member; none if the member has no principal. */
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
