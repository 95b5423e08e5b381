import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { FriendEvents, FriendshipParty } from '@family-watch/domain/friends/contracts/friend.events';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { conversationChangeNotices } from './conversation-change-notices.js';
import type { ChangeCause } from './conversation-change-notices.js';
import { ConversationMembershipRepository } from './conversation-membership.repository.js';
import { conversationOfFriends, conversationsOfFamily } from './conversation-plan.js';
import type { PlannedConversation } from './conversation-plan.js';
import { diffMembership } from './membership-change.js';
import type { StoredConversation } from './membership-change.js';

type Friendship = FriendEvents['userctx.friendship.changed'];

/** Makes conversations what families and friendships say, in the unit of work of the event that says it. */
@Injectable()
export class ConversationMembershipService {
  constructor(
    private readonly members: ConversationMembershipRepository,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
  ) {}

  /** The family is now like this; an older snapshot than the newest one changes nothing. */
  async applyFamilySnapshot(family: FamilySnapshot, cause: ChangeCause): Promise<void> {
    if (!(await this.members.advanceVersion(`family:${family.familyId}`, family.version))) return;
    const stored = await this.members.lockByFamily(family.familyId);
    const planned = new Map(conversationsOfFamily(family).map((each) => [each.conversationId, each]));
    const gone = stored
      .filter(({ conversationId }) => !planned.has(conversationId))
      .map((each) => (each.type === 'FRIENDS' ? withWatchesOf(family, each) : { ...each, members: [] }));
    await this.arrange(stored, [...planned.values(), ...gone], cause);
  }

  /**
   * Two children may talk, or may not any more. Their watches are those that their families say they have, which may
   * have changed since.
   */
  async applyFriendship(friendship: Friendship, cause: ChangeCause): Promise<void> {
    const { friendshipId, version, sides, active } = friendship;
    if (!(await this.members.advanceVersion(`friendship:${friendshipId}`, version))) return;
    await this.members.lockVersionsForShare(sides.map(({ familyId }) => `family:${familyId}`));
    const current = await Promise.all(sides.map((side) => this.withCurrentWatch(side)));
    const wanted = conversationOfFriends(friendshipId, current);
    const stored = await this.members.lock([wanted.conversationId]);
    if (!active && stored.length === 0) return;
    await this.arrange(stored, [active ? wanted : { ...wanted, members: [] }], cause);
  }

  private async withCurrentWatch(side: FriendshipParty): Promise<FriendshipParty> {
    const { dissolved, children } = await this.families.get(side.familyId);
    const child = dissolved ? undefined : children.find(({ cid }) => cid === side.cid);
    return { ...side, did: child?.did ?? null };
  }

  /** The conversations are to have these members; each is stored or new. */
  private async arrange(
    stored: readonly StoredConversation[],
    wanted: readonly PlannedConversation[],
    cause: ChangeCause,
  ): Promise<void> {
    const known = new Map(stored.map((each) => [each.conversationId, each]));
    const changes = wanted.flatMap((each) => diffMembership(known.get(each.conversationId), each) ?? []);
    if (changes.length === 0) return;
    await this.members.apply(changes);
    this.mailboxes.enqueue(changes.flatMap((change) => conversationChangeNotices(change, cause)));
  }
}

/** A friendship outlives a watch: the family says only which one its child has now. */
function withWatchesOf(family: FamilySnapshot, conversation: StoredConversation): PlannedConversation {
  const watches = new Map(family.dissolved ? [] : family.children.map(({ cid, did }) => [cid, did]));
  const members = conversation.members
    .filter(({ active }) => active)
    .map(({ member, familyId, cid, did }) => {
      const isOwn = familyId === family.familyId && cid !== null;
      return { member, familyId, cid, did: isOwn ? (watches.get(cid) ?? null) : did };
    });
  return { ...conversation, members };
}
