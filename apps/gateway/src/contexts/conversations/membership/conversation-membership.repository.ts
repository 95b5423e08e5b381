import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { MemberKey } from '@family-watch/domain/messages/contracts/chat';
import {
  ConversationEntity,
  ConversationMemberEntity,
  ConversationSourceEntity,
  ChatMessageEntity,
} from '@family-watch/domain/messages/entities/conversation.entities';
import { columnsOf } from '@family-watch/platform/database/column-arrays';
import { deleteBatch } from '@family-watch/platform/database/entity-queries';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import type { MembershipChange, StoredConversation, StoredMember } from './conversation-plan.js';
import {
  ADVANCE_VERSION,
  UPSERT_CONVERSATIONS,
  UPSERT_MEMBERS,
  FIND_ERASED_MESSAGES,
  FIND_ERASED_RECIPIENTS,
  FIND_OWN_CONVERSATIONS,
  INCREMENT_REVISIONS,
  LOCK_MEMBER_CONVERSATIONS,
} from '../conversations.sql.js';

/** Messages that are erased with a member, and the principals whose mailboxes may contain them. */
interface ErasedMessages {
  ids: string[];
  recipients: PrincipalKey[];
}

/** Stores the members of conversations. A transaction that changes members must hold the conversation's lock. */
@Injectable()
export class ConversationMembershipRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Records `version` of a source of conversations (a family or a friendship); returns false if this or a newer version
   * was already recorded.
   */
  async advanceVersion(source: string, version: number): Promise<boolean> {
    const advanced = await this.unitOfWork.executor.query(ADVANCE_VERSION, [source, version]);
    return advanced.length > 0;
  }

  /** Returns the recorded version of each source; sources without a version are omitted. */
  async findVersions(sources: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await this.sources.findBy({ source: Any(sources) });
    return new Map(found.map(({ source, version }) => [source, version]));
  }

  /** Locks the versions of these families and friendships for share until the end of the current transaction. */
  async lockVersionsForShare(sources: readonly string[]): Promise<void> {
    await this.sources.find({
      where: { source: Any(sources) },
      order: { source: 'ASC' },
      lock: { mode: 'pessimistic_read' },
    });
  }

  /** Returns the member's membership in the conversation, if it is active. */
  findActive(conversationId: string, member: MemberKey): Promise<ConversationMemberEntity | null> {
    return this.members.findOneBy({ conversationId, member, active: true });
  }

  /** Locks the conversations with a current or former member of the family until the end of the transaction. */
  async lockByFamily(familyId: string): Promise<StoredConversation[]> {
    const members = await this.members.findBy({ familyId });
    return this.lock([...new Set(members.map(({ conversationId }) => conversationId))]);
  }

  /** Locks these conversations, if they exist, until the end of the current transaction. */
  async lock(conversationIds: readonly string[]): Promise<StoredConversation[]> {
    const conversations = await this.conversations.find({
      where: { conversationId: Any(conversationIds) },
      order: { conversationId: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    const found = await this.members.findBy({ conversationId: Any(conversationIds) });
    const membersByConversation = Map.groupBy(found, ({ conversationId }) => conversationId);
    return conversations.flatMap(({ conversationId, type }) => {
      const members = membersByConversation.get(conversationId);
      return members ? [{ conversationId, type, members }] : [];
    });
  }

  /**
   * Stores changes of new or locked conversations. Each conversation gets a new revision, so caches reload its members
   * with the next message.
   */
  async apply(changes: readonly MembershipChange[]): Promise<void> {
    await this.unitOfWork.executor.query(
      UPSERT_CONVERSATIONS,
      columnsOf(changes, 'conversationId', 'type', 'isClosed'),
    );
    const written = changes.flatMap(({ conversationId, joinedMembers, leavingMembers, membersWithNewWatch }) => [
      ...joinedMembers.map((each) => ({ ...each, conversationId })),
      ...membersWithNewWatch.map((each) => ({ ...each, conversationId })),
      ...leavingMembers.map((each) => ({ ...each, conversationId, active: false })),
    ]);
    await this.storeMembers(written);
  }

  /**
   * Stores members. A member who joins a family group may see only later messages; a child, and a member of a direct
   * conversation, may see all messages.
   */
  private async storeMembers(members: readonly (StoredMember & { conversationId: string })[]): Promise<void> {
    await this.unitOfWork.executor.query(
      UPSERT_MEMBERS,
      columnsOf(members, 'conversationId', 'member', 'familyId', 'cid', 'did', 'active'),
    );
  }

  /** Locks the conversations that the child or user was ever a member of, until the end of the transaction. */
  async lockByMember(member: MemberKey): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_MEMBER_CONVERSATIONS, [member]);
  }

  /** Returns messages that must be erased with the member, at most `limit`. */
  async findErasedMessages(member: MemberKey, limit?: number): Promise<ErasedMessages> {
    const { executor } = this.unitOfWork;
    const messages = await executor.query<{ id: string }>(FIND_ERASED_MESSAGES, [member, limit ?? null]);
    const ids = messages.map(({ id }) => id);
    const recipients = await executor.query<{ principal: PrincipalKey }>(FIND_ERASED_RECIPIENTS, [member, ids]);
    return { ids, recipients: recipients.map(({ principal }) => principal) };
  }

  async deleteMessages(ids: readonly string[]): Promise<void> {
    await this.unitOfWork.manager.delete(ChatMessageEntity, { id: Any(ids) });
  }

  /** Deletes the memberships, and the conversations that only concern the member, whose messages were deleted. */
  async deleteMember(member: MemberKey): Promise<void> {
    const { executor, manager } = this.unitOfWork;
    const own = await executor.query<{ conversationId: string }>(FIND_OWN_CONVERSATIONS, [member]);
    const conversationId = Any(own.map((each) => each.conversationId));
    await executor.query(INCREMENT_REVISIONS, [member]);
    await manager.delete(ConversationMemberEntity, [{ member }, { conversationId }]);
    await manager.delete(ConversationEntity, { conversationId });
  }

  /**
   * Deletes locked conversations with their members and at most `limit` messages; with more messages, the conversations
   * remain. Returns the number of messages.
   */
  async deleteConversations(conversationIds: readonly string[], limit: number): Promise<number> {
    const { manager } = this.unitOfWork;
    const conversationId = Any(conversationIds);
    const messages = manager.getRepository(ChatMessageEntity);
    const deleted = await deleteBatch(messages, { where: { conversationId }, limit });
    if (deleted === limit) return deleted;
    await manager.delete(ConversationMemberEntity, { conversationId });
    await manager.delete(ConversationEntity, { conversationId });
    return deleted;
  }

  private get conversations() {
    return this.unitOfWork.manager.getRepository(ConversationEntity);
  }

  private get members() {
    return this.unitOfWork.manager.getRepository(ConversationMemberEntity);
  }

  private get sources() {
    return this.unitOfWork.manager.getRepository(ConversationSourceEntity);
  }
}
