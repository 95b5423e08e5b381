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
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import type { MembershipChange, StoredConversation, StoredMember } from './conversation-plan.js';

const ADVANCE_VERSION = `
  INSERT INTO gateway.conversation_source AS existing (source, version) VALUES ($1, $2)
  ON CONFLICT (source) DO UPDATE SET version = excluded.version WHERE existing.version < excluded.version
  RETURNING version`;

const UPSERT_CONVERSATIONS = `
  INSERT INTO gateway.conversation AS existing (conversation_id, type, closed)
  SELECT * FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS change (conversation_id, type, closed)
  ORDER BY conversation_id
  ON CONFLICT (conversation_id) DO UPDATE SET closed = excluded.closed, revision = existing.revision + 1`;

const UPSERT_MEMBERS = `
  INSERT INTO gateway.conversation_member AS existing (
    conversation_id, member, family_id, cid, did, active, joined_at_seq, delivered_seq, read_seq
  )
  SELECT
    conversation_id, member, family_id, written.cid, written.did, active,
    joined_at_seq, joined_at_seq, joined_at_seq
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::boolean[])
    AS written (conversation_id, member, family_id, cid, did, active)
  JOIN gateway.conversation USING (conversation_id)
  CROSS JOIN LATERAL (SELECT CASE WHEN type = 'FAMILY' AND written.cid IS NULL THEN head ELSE 0 END) AS start (joined_at_seq)
  ORDER BY conversation_id, member
  ON CONFLICT (conversation_id, member) DO UPDATE SET
    family_id = excluded.family_id, did = excluded.did, active = excluded.active,
    joined_at_seq = CASE
      WHEN excluded.active AND NOT existing.active THEN excluded.joined_at_seq ELSE existing.joined_at_seq
    END,
    delivered_seq = greatest(existing.delivered_seq, excluded.delivered_seq),
    read_seq = greatest(existing.read_seq, excluded.read_seq)`;

const LOCK_MEMBER_CONVERSATIONS = `
  SELECT FROM gateway.conversation
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
  ORDER BY conversation_id FOR NO KEY UPDATE`;

const FIND_ERASED_MESSAGES = `
  SELECT id FROM gateway.chat_message JOIN gateway.conversation USING (conversation_id)
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)
    AND (type <> 'FAMILY' OR member = $1)
  LIMIT $2`;

/**
 * The mailboxes of current and former members, and of every watch that ever sent a message, may contain the erased
 * messages. Copies in any other mailbox expire after 30 days.
 */
const FIND_ERASED_RECIPIENTS = `
  SELECT coalesce('watch:' || other.did, other.member) AS principal
  FROM gateway.conversation_member AS child JOIN gateway.conversation_member AS other USING (conversation_id)
  WHERE child.member = $1 AND (other.cid IS NULL OR other.did IS NOT NULL)
  UNION
  SELECT sender_type || ':' || sender_id FROM gateway.chat_message WHERE id = ANY($2::uuid[])`;

const FIND_OWN_CONVERSATIONS = `
  SELECT conversation_id AS "conversationId" FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
  WHERE member = $1 AND type <> 'FAMILY'`;

const INCREMENT_REVISIONS = `
  UPDATE gateway.conversation SET revision = revision + 1
  WHERE conversation_id IN (SELECT conversation_id FROM gateway.conversation_member WHERE member = $1)`;

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
