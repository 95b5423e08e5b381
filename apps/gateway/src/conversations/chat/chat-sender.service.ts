import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CommunicationRefusal } from '@family-watch/domain/watches/check-communication';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ChatKind, ChatMessagePayload, ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import type { Sender } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Clock } from '@family-watch/event-bus/clock';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { entryLimit } from '@family-watch/platform/concurrency/entry-limit';
import {
  CLOCK,
  GatewayOutbox,
  GatewayProjections,
  projectionUnknownError,
  GatewayUnitOfWork,
} from '../../infrastructure/gateway-infrastructure.js';
import { deriveMessageId, type MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { communicationRefusedError } from '../../projections/child-rules-lookup.service.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import { mediaGrantEvents } from '../media/media-contents.js';
import { ChatMessageRepository, type LockedConversation, type StoredChatMessage } from './chat-message.repository.js';
import { ChatRetention } from './chat-retention.js';
import { ChatRulesService, type ChatAttempt } from './chat-rules.service.js';
import { addMailboxEntries, type ChatMessageRow, type ConversationMembers } from './conversation-members.js';

/** A message to send. `payload` has been validated and must not be changed. */
interface OutgoingChatMessage {
  id: string;
  principal: PrincipalKey;
  session: string;
  from: Sender;
  kind: ChatKind;
  payload: ChatMessagePayload;
}

/**
 * `undefined` if the conversation does not exist or the sender is no member of it; `UNDECIDED` while a projection that
 * decides about the conversation is unknown. `REUSED` if another message of the sender has the same `clientMsgId`.
 */
type ChatSendOutcome = ChatSendResult | CommunicationRefusal | typeof UNDECIDED | typeof REUSED | undefined;

const UNDECIDED = Symbol('Undecided');
const REUSED = Symbol('Reused');

interface LoadedConversation extends LockedConversation {
  members: ConversationMembers | undefined;
}

/** An attempt to send a message, with the conversation that the transaction of the batch has locked. */
interface LoadedAttempt extends ChatAttempt {
  conversation: LoadedConversation;
}

/**
 * Number of batchers that run concurrently: the process prepares one batch while the database stores another. Two
 * batchers are a third faster than one.
 */
const BATCHER_COUNT = 2;
/** Maximum number of messages that wait in one batcher. */
const MAX_WAITING_MESSAGES = 10_000;
const MAX_MESSAGE_BATCH_SIZE = 2_000;
const MAX_CACHED_CONVERSATIONS = 50_000;
/**
 * Number of recent message ids to cache. A message with a cached id may be a retry after a lost response, so the
 * database is queried for the id before the message is stored.
 */
const MAX_RECENT_IDS = 50_000;

/** Stores chat messages by group commit. All chat messages go through this service. */
@Injectable()
export class ChatSenderService implements OnApplicationShutdown {
  /** Members of conversations; an entry is valid if its revision is that of the locked conversation row. */
  private readonly cachedMembers = new LRUCache<string, ConversationMembers>(entryLimit(MAX_CACHED_CONVERSATIONS));
  private readonly recentIds = new LRUCache<string, true>(entryLimit(MAX_RECENT_IDS));
  private readonly batchers = Array.from(
    { length: BATCHER_COUNT },
    () =>
      new Batcher<OutgoingChatMessage, ChatSendOutcome>({
        process: (batch) => this.commit(batch),
        maxBatchSize: MAX_MESSAGE_BATCH_SIZE,
        maxWaitingItems: MAX_WAITING_MESSAGES,
        shouldBisect: (error) => !(error instanceof DatabaseUnavailableError),
      }),
  );

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly messages: ChatMessageRepository,
    private readonly mailboxes: MailboxService,
    private readonly families: FamilyLookupService,
    private readonly rules: ChatRulesService,
    private readonly outbox: GatewayOutbox,
    private readonly projections: GatewayProjections,
    private readonly retention: ChatRetention,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Sends a message; resolves when the message and its mailbox entries are stored. A repeated message returns the
   * first result.
   * @throws ServiceError CLIENT_MSG_ID_REUSED for another message with the `clientMsgId` of an earlier one
   * @throws ServiceError CONVERSATION_NOT_FOUND
   * @throws ServiceError WATCH_UNBOUND
   * @throws ServiceError SCHOOL_TIME, CONTACT_NOT_ALLOWED
   * @throws ServiceError OVERLOADED, and FAMILY_NOT_READY while a projection that decides about the conversation is unknown
   */
  async send(sender: Principal, kind: ChatKind, payload: ChatMessagePayload): Promise<ChatSendResult> {
    const principal = principalKey(sender);
    const id = deriveMessageId(`chat:${principal}:${payload.clientMsgId}`);
    const from: Sender = { type: sender.type as Sender['type'], id: sender.id };
    const message: OutgoingChatMessage = { id, principal, session: sender.sessionId, from, kind, payload };
    // A transaction that is already open (for the Idempotency-Key) stores the message itself. Waiting inside a
    // transaction for a batch, which needs a second database connection, could deadlock.
    const outcome = await (this.unitOfWork.isInTransaction
      ? this.commit([message]).then(([outcome]) => outcome)
      : this.batcherOf(payload.conversationId).submit(message));
    if (outcome === UNDECIDED) throw projectionUnknownError();
    if (outcome === REUSED) throw new ServiceError('CLIENT_MSG_ID_REUSED');
    if (!outcome) return this.throwNotMember(sender);
    if ('reason' in outcome) throw communicationRefusedError(outcome, 'conversationId', this.clock.now());
    return outcome;
  }

  /** Resolves when no message is waiting to be committed. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.batchers.map((batcher) => batcher.waitUntilIdle()));
  }

  /**
   * Returns the batcher of a conversation. All messages of a conversation go through the same batcher, which keeps
   * their order. Conversation ids are evenly distributed, so both batchers get equally many messages.
   */
  private batcherOf(conversationId: string): Batcher<OutgoingChatMessage, ChatSendOutcome> {
    return (
      this.batchers[conversationId.charCodeAt(0) % BATCHER_COUNT] ??
      (this.batchers[0] as Batcher<OutgoingChatMessage, ChatSendOutcome>)
    );
  }

  private async throwNotMember({ type, id }: Principal): Promise<never> {
    const isUnbound = type === 'watch' && !(await this.families.findByWatch(Number(id)));
    throw new ServiceError(isUnbound ? 'WATCH_UNBOUND' : 'CONVERSATION_NOT_FOUND');
  }

  /**
   * Stores a batch. Nearly all messages are new, so messages are stored without a query for duplicates. If the unique key
   * detects a duplicate, the transaction is repeated with the query.
   */
  private async commit(batch: readonly OutgoingChatMessage[]): Promise<ChatSendOutcome[]> {
    let mayContainDuplicates = this.unitOfWork.isInTransaction || batch.some(({ id }) => this.recentIds.has(id));
    for (const { id } of batch) this.recentIds.set(id, true);
    return this.unitOfWork.run(() => {
      const isQueried = mayContainDuplicates;
      mayContainDuplicates = true;
      return this.store(batch, isQueried);
    });
  }

  private async store(
    batch: readonly OutgoingChatMessage[],
    mayContainDuplicates: boolean,
  ): Promise<ChatSendOutcome[]> {
    const conversations = await this.lockConversations(batch);
    const time = this.clock.now();
    const attempts = batch.map((message) => attemptOf(message, conversations));
    const refusals = await this.rules.findRefusals(attempts, time);
    // A duplicate gets the result of the original message, even if a newer rule forbids the message.
    const stored = await this.findStored(batch.filter((_, index) => mayContainDuplicates || refusals[index]));
    const rows: ChatMessageRow[] = [];
    const entries: MailboxEntry[] = [];
    const grants: ReturnType<typeof mediaGrantEvents> = [];
    const outcomes = batch.map(({ id, session, from, kind, payload }, index): ChatSendOutcome => {
      const attempt = attempts[index];
      if (!attempt) return undefined;
      const earlier = stored.get(id);
      if (earlier) {
        const { conversationSeq } = earlier;
        return isRepetition(earlier, kind, payload) ? { id, conversationSeq, time: earlier.time } : REUSED;
      }
      if (this.isUndecided(attempt)) return UNDECIDED;
      const refusal = refusals[index];
      if (refusal) return refusal;
      const { conversation, sender, members } = attempt;
      const { conversationId } = conversation;
      const conversationSeq = (conversation.head += 1);
      const storedPayload = { ...payload, conversationSeq };
      const row = {
        conversationId,
        conversationSeq,
        id,
        member: sender.member,
        from,
        kind,
        time,
        payload: storedPayload,
        payloadText: JSON.stringify(storedPayload),
      };
      rows.push(row);
      stored.set(id, row);
      addMailboxEntries(entries, row, sender, members, session);
      grants.push(...mediaGrantEvents({ id, kind, time, payload }, sender, members, this.retention.of(kind)));
      return { id, conversationSeq, time };
    });
    if (rows.length > 0) await this.messages.store(rows);
    await this.outbox.appendMany(grants);
    this.mailboxes.enqueue(entries);
    return outcomes;
  }

  private isUndecided({ members }: ChatAttempt): boolean {
    if (!this.projections.hasUnknown) return false;
    return !members.activeMembers.every(({ familyId }) => this.projections.areConversationsKnown(familyId));
  }

  /** Returns those of these messages that are stored, by message id. */
  private async findStored(messages: readonly OutgoingChatMessage[]): Promise<Map<string, StoredChatMessage>> {
    return messages.length > 0 ? this.messages.findStored(messages.map(({ id }) => id)) : new Map();
  }

  /** Locks the conversations of the batch and loads their members. */
  private async lockConversations(batch: readonly OutgoingChatMessage[]): Promise<Map<string, LoadedConversation>> {
    const conversationIds = new Set(batch.map(({ payload }) => payload.conversationId).filter(isUuid));
    const locked = await this.messages.lock([...conversationIds]);
    const membersOf = new Map(
      locked.map((each) => {
        const cached = this.cachedMembers.get(each.conversationId);
        return [each, cached?.revision === each.revision ? cached : undefined];
      }),
    );
    const missing = locked.filter((each) => !membersOf.get(each));
    if (missing.length > 0) {
      const found = await this.messages.findMembers(missing.map(({ conversationId }) => conversationId));
      for (const each of missing) membersOf.set(each, found.get(each.conversationId));
      for (const [conversationId, members] of found) this.cachedMembers.set(conversationId, members);
    }
    return new Map(locked.map((each) => [each.conversationId, { ...each, members: membersOf.get(each) }]));
  }
}

/** Returns `undefined` if the conversation does not exist or the sender is no member of it. */
function attemptOf(
  { principal, payload }: OutgoingChatMessage,
  conversations: ReadonlyMap<string, LoadedConversation>,
): LoadedAttempt | undefined {
  const conversation = conversations.get(payload.conversationId);
  const members = conversation?.members;
  const sender = members?.activeMembers.find((each) => each.principal === principal);
  return members && sender ? { conversation, members, sender } : undefined;
}

/**
 * Returns whether the message is the stored one. The content of a recalled message is deleted, so only conversation and
 * kind are compared with it. The build before did not store the quoted message.
 */
function isRepetition(stored: StoredChatMessage, kind: ChatKind, payload: ChatMessagePayload): boolean {
  if (stored.kind !== kind || stored.conversationId !== payload.conversationId) return false;
  const { quoteOf, ...content } = payload;
  const isQuoteStored = stored.payload !== null && 'quoteOf' in stored.payload;
  const repeated = { ...content, ...(isQuoteStored && { quoteOf }), conversationSeq: stored.conversationSeq };
  return stored.recalled === true || isDeepStrictEqual(asJson(stored.payload), asJson(repeated));
}

/** Returns the payload as the database stores it, without omitted fields. */
function asJson(payload: object): unknown {
  return JSON.parse(JSON.stringify(payload));
}
