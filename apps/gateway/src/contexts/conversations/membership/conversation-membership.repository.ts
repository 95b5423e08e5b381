import { Injectable } from '@nestjs/common';
import type { ConversationType, MemberKey } from '@family-watch/domain/messages/contracts/conversation';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';
import type { MembershipChange, StoredConversation, StoredMember } from './membership-change.js';

interface MemberRow {
  conversation_id: string;
  type: ConversationType;
  member: MemberKey;
  family_id: string;
  cid: string | null;
  did: number | null;
  active: boolean;
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
    const advanced = await this.unitOfWork.executor.query(
      `INSERT INTO gateway.conversation_source AS existing (source, version) VALUES ($1, $2)
       ON CONFLICT (source) DO UPDATE SET version = excluded.version WHERE existing.version < excluded.version
       RETURNING version`,
      [source, version],
    );
    return advanced.length > 0;
  }

  /** Returns the recorded versions of these families and friendships; one without a version is omitted. */
  async findVersions(sources: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.unitOfWork.executor.query<{ source: string; version: number }>(
      'SELECT source, version FROM gateway.conversation_source WHERE source = ANY($1::text[])',
      [sources],
    );
    return new Map(rows.map(({ source, version }) => [source, version]));
  }

  /** Locks the versions of these families and friendships for share until the end of the current transaction. */
  async lockVersionsForShare(sources: readonly string[]): Promise<void> {
    await this.unitOfWork.executor.query(
      'SELECT FROM gateway.conversation_source WHERE source = ANY($1::text[]) ORDER BY source FOR SHARE',
      [sources],
    );
  }

  /** Locks the conversations with a current or former member of the family until the end of the transaction. */
  async lockByFamily(familyId: string): Promise<StoredConversation[]> {
    const rows = await this.unitOfWork.executor.query<{ conversation_id: string }>(
      'SELECT DISTINCT conversation_id FROM gateway.conversation_member WHERE family_id = $1',
      [familyId],
    );
    return this.lock(rows.map((row) => row.conversation_id));
  }

  /** Locks these conversations, if they exist, until the end of the current transaction. */
  async lock(conversationIds: readonly string[]): Promise<StoredConversation[]> {
    const { executor } = this.unitOfWork;
    await executor.query(
      `SELECT FROM gateway.conversation WHERE conversation_id = ANY($1::uuid[])
       ORDER BY conversation_id FOR NO KEY UPDATE`,
      [conversationIds],
    );
    const rows = await executor.query<MemberRow>(
      `SELECT conversation_id, type, member, family_id, cid, did, active
       FROM gateway.conversation JOIN gateway.conversation_member USING (conversation_id)
       WHERE conversation_id = ANY($1::uuid[])`,
      [conversationIds],
    );
    const found = new Map<string, StoredConversation>();
    for (const row of rows) {
      const { conversation_id: conversationId, type, member, family_id: familyId, cid, did, active } = row;
      const conversation = found.get(conversationId) ?? { conversationId, type, members: [] };
      conversation.members.push({ member, familyId, cid, did, active });
      found.set(conversationId, conversation);
    }
    return [...found.values()];
  }

  /**
   * Stores changes of new or locked conversations. Each conversation gets a new revision, so caches reload its members
   * with the next message.
   */
  async apply(changes: readonly MembershipChange[]): Promise<void> {
    const { executor } = this.unitOfWork;
    await executor.query(
      `INSERT INTO gateway.conversation AS existing (conversation_id, type, closed)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::boolean[]) AS change (conversation_id, type, closed)
       ORDER BY conversation_id
       ON CONFLICT (conversation_id) DO UPDATE SET closed = excluded.closed, revision = existing.revision + 1`,
      [
        changes.map(({ conversationId }) => conversationId),
        changes.map(({ type }) => type),
        changes.map(({ isClosed }) => isClosed),
      ],
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
    await this.unitOfWork.executor.query(STORE_MEMBERS, [
      members.map(({ conversationId }) => conversationId),
      members.map(({ member }) => member),
      members.map(({ familyId }) => familyId),
      members.map(({ cid }) => cid),
      members.map(({ did }) => did),
      members.map(({ active }) => active),
    ]);
  }
}

const STORE_MEMBERS = `
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
