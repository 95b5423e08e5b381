import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ChatKind, ChatMessagePayload, ChatSent } from '@family-watch/domain/messages/contracts/chat';
import type { Sender } from '@family-watch/domain/messages/contracts/envelope';
import type { Clock } from '@family-watch/event-bus/clock';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { Batcher } from '@family-watch/platform/process/batcher';
import { CLOCK } from '../../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';
import { messageIdOf } from '../../../protocol/message-id.js';
import { KnownFamilies } from '../../families/known-families.service.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { addEntries } from './chat-delivery.js';
import { ChatMessageRepository, isRepetition } from './chat-message.repository.js';
import type { ChatMessageRow, LockedConversation } from './chat-message.repository.js';
import { ConversationCache } from './conversation-cache.js';
import type { Audible } from './conversation-cache.js';
import { RecentIds } from './recent-ids.js';

/** What one session says; `payload` has been checked and is not changed. */
interface Utterance {
  id: string;
  principal: PrincipalKey;
  session: string;
  from: Sender;
  kind: ChatKind;
  payload: ChatMessagePayload;
}

/** `undefined`: there is no such conversation, or the sender is no member of it. */
type Outcome = ChatSent | undefined;

interface OpenConversation extends LockedConversation {
  audible: Audible | undefined;
}

/** Side by side, so that this process works while the database does: a third more than one after the other. */
const LANES = 2;
/** In each lane. */
const MAX_WAITING = 10_000;
const MAX_BATCH = 2_000;
/** What comes again soon, because its answer was lost, is looked for before it is stored. */
const RECENT_IDS = 50_000;

/** The one way into conversations: whatever is said while one batch commits is the next batch. */
@Injectable()
export class ChatSender implements OnApplicationShutdown {
  private readonly cache = new ConversationCache();
  private readonly recent = new RecentIds(RECENT_IDS);
  private readonly lanes = Array.from(
    { length: LANES },
    () =>
      new Batcher<Utterance, Outcome>({
        process: (batch) => this.commit(batch),
        maxBatch: MAX_BATCH,
        maxWaiting: MAX_WAITING,
        isolates: (error) => !(error instanceof DatabaseUnavailableError),
      }),
  );

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly messages: ChatMessageRepository,
    private readonly mailboxes: MailboxService,
    private readonly families: KnownFamilies,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the message is on disk with everything that tells its receivers; the same `clientMsgId` again is
   * answered as the first time.
   * @throws ServiceError CONVERSATION_NOT_FOUND; WATCH_UNBOUND; OVERLOADED
   */
  async send(sender: Principal, kind: ChatKind, payload: ChatMessagePayload): Promise<ChatSent> {
    const principal = principalKey(sender);
    const id = messageIdOf(`chat:${principal}:${payload.clientMsgId}`);
    const from: Sender = { type: sender.type as Sender['type'], id: sender.id };
    const utterance: Utterance = { id, principal, session: sender.sessionId, from, kind, payload };
    // With a unit of work open (an Idempotency-Key) it belongs to that one: a second connection could be waited for.
    const sent = await (this.unitOfWork.isOpen
      ? this.commit([utterance]).then(([outcome]) => outcome)
      : this.laneOf(payload.conversationId).submit(utterance));
    return sent ?? this.refuse(sender);
  }

  /** Resolves when nothing waits to be committed. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.idle()));
  }

  /** All that is said in a conversation goes one way, so it keeps its order; ids are evenly spread. */
  private laneOf(conversationId: string): Batcher<Utterance, Outcome> {
    return this.lanes[conversationId.charCodeAt(0) % LANES] ?? (this.lanes[0] as Batcher<Utterance, Outcome>);
  }

  private async refuse({ type, id }: Principal): Promise<never> {
    const isUnbound = type === 'watch' && !(await this.families.findByWatch(Number(id)));
    throw new ServiceError(isUnbound ? 'WATCH_UNBOUND' : 'CONVERSATION_NOT_FOUND');
  }

  /** Nearly everything is new, so it is stored without a look; the key of the table finds what is not. */
  private async commit(batch: readonly Utterance[]): Promise<Outcome[]> {
    const isDoubtful = this.unitOfWork.isOpen || batch.some(({ id }) => this.recent.has(id));
    for (const { id } of batch) this.recent.add(id);
    try {
      return await this.unitOfWork.run(() => this.store(batch, isDoubtful));
    } catch (error) {
      if (isDoubtful || !isRepetition(error)) throw error;
      return this.unitOfWork.run(() => this.store(batch, true));
    }
  }

  private async store(batch: readonly Utterance[], isDoubtful: boolean): Promise<Outcome[]> {
    const conversations = await this.open(batch);
    const numbers = isDoubtful ? await this.messages.findNumbers(batch.map(({ id }) => id)) : new Map<string, number>();
    const rows: ChatMessageRow[] = [];
    const entries: MailboxEntry[] = [];
    const time = this.clock.now();
    const outcomes = batch.map((utterance): Outcome => {
      const { id, principal, session, from, kind, payload } = utterance;
      const conversation = conversations.get(payload.conversationId);
      const speaker = conversation?.audible?.listeners.find((each) => each.principal === principal);
      if (!conversation?.audible || !speaker) return undefined;
      const before = numbers.get(id);
      if (before !== undefined) return { id, conversationSeq: before };
      const { conversationId } = conversation;
      const conversationSeq = (conversation.head += 1);
      numbers.set(id, conversationSeq);
      const numbered = { ...payload, conversationSeq };
      const row = { conversationId, conversationSeq, id, member: speaker.member, from, kind, time, payload: numbered };
      rows.push(row);
      addEntries(entries, row, speaker, conversation.audible, session);
      return { id, conversationSeq };
    });
    if (rows.length > 0) await this.messages.store(rows);
    this.mailboxes.post(entries);
    return outcomes;
  }

  /** The batch's conversations, locked, with who hears them. */
  private async open(batch: readonly Utterance[]): Promise<Map<string, OpenConversation>> {
    const wanted = new Set(batch.map(({ payload }) => payload.conversationId).filter(isUuid));
    const locked = await this.messages.lock([...wanted]);
    const known = new Map(locked.map((each) => [each, this.cache.find(each.conversationId, each.revision)]));
    const missing = locked.filter((each) => !known.get(each));
    if (missing.length > 0) {
      const found = await this.messages.findAudible(missing.map(({ conversationId }) => conversationId));
      for (const each of missing) known.set(each, found.get(each.conversationId));
      for (const [conversationId, audible] of found) this.cache.put(conversationId, audible);
    }
    return new Map(locked.map((each) => [each.conversationId, { ...each, audible: known.get(each) }]));
  }
}
