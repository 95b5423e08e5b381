import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { FriendEvents, FriendshipParty } from '@family-watch/domain/families/contracts/friend';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import type { ConversationMemberEntity } from '@family-watch/domain/messages/entities/conversation.entities';
import { GatewayProjections, projectionUnknownError } from '../../infrastructure/gateway-infrastructure.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import { ConversationMembershipRepository } from './conversation-membership.repository.js';
import {
  conversationChangeNotices,
  conversationOfFriends,
  conversationsOfFamily,
  diffMembership,
  memberPrincipal,
  type ChangeCause,
  type PlannedConversation,
  type StoredConversation,
} from './conversation-plan.js';

type Friendship = FriendEvents['userctx.friendship.changed'];

/** Resolves memberships in conversations, and updates them to match families and friendships. */
@Injectable()
export class ConversationMembershipService {
  constructor(
    private readonly members: ConversationMembershipRepository,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
    private readonly projections: GatewayProjections,
  ) {}

  /**
   * Returns the member key of the caller; a watch acts for its child.
   * @throws ServiceError WATCH_UNBOUND
   */
  async memberKeyOf({ type, id }: Principal): Promise<MemberKey> {
    if (type !== 'watch') return `user:${id}`;
    const child = await this.families.findByWatch(Number(id));
    if (!child) throw new ServiceError('WATCH_UNBOUND');
    return `child:${child.cid}`;
  }

  /**
   * @throws ServiceError CONVERSATION_NOT_FOUND for a conversation of which the caller is no member
   * @throws ServiceError WATCH_UNBOUND
   * @throws ServiceError FAMILY_NOT_READY while the members of the conversation are unknown
   */
  async membershipOf(caller: Principal, conversationId: string): Promise<ConversationMemberEntity> {
    const member = await this.memberKeyOf(caller);
    const found = isUuid(conversationId) ? await this.members.findActive(conversationId, member) : undefined;
    if (!found) throw new ServiceError('CONVERSATION_NOT_FOUND');
    if (!this.projections.areConversationsKnown(found.familyId)) throw projectionUnknownError();
    return found;
  }

  /** Applies a family snapshot in the current transaction, unless the same or a newer snapshot was applied before. */
  async applyFamilySnapshot(family: FamilySnapshot, cause: ChangeCause): Promise<void> {
    if (!(await this.members.advanceVersion(`family:${family.familyId}`, family.version))) return;
    const stored = await this.members.lockByFamily(family.familyId);
    const planned = new Map(conversationsOfFamily(family).map((each) => [each.conversationId, each]));
    const obsolete = stored
      .filter(({ conversationId }) => !planned.has(conversationId))
      .map((each) => (each.type === 'FRIENDS' ? withCurrentWatches(family, each) : { ...each, members: [] }));
    await this.update(stored, [...planned.values(), ...obsolete], cause);
  }

  /**
   * Opens or closes the conversation of two friends. The children's watches are taken from the current family
   * snapshots, because a watch may have changed since the event.
   */
  async applyFriendship(friendship: Friendship, cause: ChangeCause): Promise<void> {
    const { friendshipId, version, sides, active } = friendship;
    if (!(await this.members.advanceVersion(`friendship:${friendshipId}`, version))) return;
    await this.members.lockVersionsForShare(sides.map(({ familyId }) => `family:${familyId}`));
    const current = await Promise.all(sides.map((side) => this.withCurrentWatch(side)));
    const planned = conversationOfFriends(friendshipId, current);
    const stored = await this.members.lock([planned.conversationId]);
    if (!active && stored.length === 0) return;
    await this.update(stored, [active ? planned : { ...planned, members: [] }], cause);
  }

  /** Returns the last applied version of each family or friendship; ids without an applied version are omitted. */
  async findVersions(type: 'family' | 'friendship', ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const versions = await this.members.findVersions(ids.map((id) => `${type}:${id}`));
    return new Map([...versions].map(([source, version]) => [source.slice(type.length + 1), version]));
  }

  /**
   * Erases the member's direct conversations and conversations with friends entirely, and the member's messages in the
   * family group, in the current transaction.
   * @param limit - number of messages; with more messages, the conversations remain and the caller must repeat the call
   * @returns number of erased messages
   */
  async eraseMember(member: MemberKey, limit?: number): Promise<number> {
    await this.members.lockByMember(member);
    const { ids, recipients } = await this.members.findErasedMessages(member, limit);
    if (ids.length > 0) await this.mailboxes.withdraw(recipients, ids);
    await this.members.deleteMessages(ids);
    if (ids.length !== limit) await this.members.deleteMember(member);
    return ids.length;
  }

  /**
   * Erases the family group in the current transaction.
   * @param limit - number of messages, as for {@link eraseMember}
   * @returns number of erased messages
   */
  async eraseFamily(familyId: string, limit: number): Promise<number> {
    const groups = (await this.members.lockByFamily(familyId)).filter(({ type }) => type === 'FAMILY');
    return this.members.deleteConversations(
      groups.map(({ conversationId }) => conversationId),
      limit,
    );
  }

  /** Returns the mailboxes of all current and former members of the family's conversations. */
  async findPrincipals(familyId: string): Promise<PrincipalKey[]> {
    const conversations = await this.members.lockByFamily(familyId);
    const members = conversations.flatMap((conversation) => conversation.members);
    return members.flatMap((member) => (member.familyId === familyId ? (memberPrincipal(member) ?? []) : []));
  }

  private async withCurrentWatch(side: FriendshipParty): Promise<FriendshipParty> {
    const { dissolved, children } = await this.families.get(side.familyId);
    const child = dissolved ? undefined : children.find(({ cid }) => cid === side.cid);
    return { ...side, did: child?.did ?? null };
  }

  /** Changes the stored conversations so that they match the planned ones, and sends the notices. */
  private async update(
    stored: readonly StoredConversation[],
    planned: readonly PlannedConversation[],
    cause: ChangeCause,
  ): Promise<void> {
    const storedById = new Map(stored.map((each) => [each.conversationId, each]));
    const changes = planned.flatMap((each) => diffMembership(storedById.get(each.conversationId), each) ?? []);
    if (changes.length === 0) return;
    await this.members.apply(changes);
    this.mailboxes.enqueue(changes.flatMap((change) => conversationChangeNotices(change, cause)));
  }
}

/**
 * Returns the conversation of two friends with the current watches of the children of `family`; the watches of other
 * children are unchanged. A friendship continues when a watch changes.
 */
function withCurrentWatches(family: FamilySnapshot, conversation: StoredConversation): PlannedConversation {
  const watches = new Map(family.dissolved ? [] : family.children.map(({ cid, did }) => [cid, did]));
  const members = conversation.members
    .filter(({ active }) => active)
    .map(({ member, familyId, cid, did }) => {
      const isChildOfFamily = familyId === family.familyId && cid !== null;
      return { member, familyId, cid, did: isChildOfFamily ? (watches.get(cid) ?? null) : did };
    });
  return { ...conversation, members };
}
