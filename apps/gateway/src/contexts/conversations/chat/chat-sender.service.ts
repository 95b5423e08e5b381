import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { CommunicationRefusal } from '@family-watch/domain/child-rules/check-communication';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { ChatKind, ChatMessagePayload, ChatSendResult } from '@family-watch/domain/messages/contracts/chat';
import type { Sender } from '@family-watch/domain/messages/contracts/envelope';
import type { Clock } from '@family-watch/event-bus/clock';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { Batcher } from '@family-watch/platform/process/batcher';
import { CLOCK } from '../../../infrastructure/gateway.tokens.js';
import { GatewayOutbox } from '../../../infrastructure/gateway.outbox.js';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway.unit-of-work.js';
import { deriveMessageId } from '../../../protocol/message-id.js';
import { communicationRefusedError } from '../../child-rules/communication-refused-error.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import type { MailboxEntry } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { mediaGrantEvents } from '../media/media-grant-events.js';
import { addMailboxEntries } from './chat-delivery.js';
import { ChatMessageRepository, isDuplicateMessageError } from './chat-message.repository.js';
import type { ChatMessageRow, LockedConversation } from './chat-message.repository.js';
import type { ChatAttempt } from './chat-permission.js';
import { ChatRulesService } from './chat-rules.service.js';
import { ConversationCache } from './conversation-cache.js';
import type { ConversationMembers } from './conversation-cache.js';
import { RecentIdSet } from './recent-id-set.js';

/** What one session says; `payload` has been checked and is not changed. */
interface OutgoingChatMessage {
  id: string;
  principal: PrincipalKey;
  session: string;
  from: Sender;
  kind: ChatKind;
  payload: ChatMessagePayload;
}

/** `undefined`: there is no such conversation, or the sender is no member of it. */
type Outcome = ChatSendResult | CommunicationRefusal | undefined;

interface OpenConversation extends LockedConversation {
  audible: ConversationMembers | undefined;
}

/** What a member of a conversation says in it. */
interface OpenSpeech extends ChatAttempt {
  conversation: OpenConversation;
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
export class ChatSenderService implements OnApplicationShutdown {
  private readonly cache = new ConversationCache();
  private readonly recent = new RecentIdSet(RECENT_IDS);
  private readonly lanes = Array.from(
    { length: LANES },
    () =>
      new Batcher<OutgoingChatMessage, Outcome>({
        process: (batch) => this.commit(batch),
        maxBatch: MAX_BATCH,
        maxWaiting: MAX_WAITING,
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
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the message is on disk with everything that tells its receivers; the same `clientMsgId` again is
   * answered as the first time.
   * @throws ServiceError CONVERSATION_NOT_FOUND; WATCH_UNBOUND; SCHOOL_TIME, CONTACT_NOT_ALLOWED; OVERLOADED
   */
  async send(sender: Principal, kind: ChatKind, payload: ChatMessagePayload): Promise<ChatSendResult> {
    const principal = principalKey(sender);
    const id = deriveMessageId(`chat:${principal}:${payload.clientMsgId}`);
    const from: Sender = { type: sender.type as Sender['type'], id: sender.id };
    const utterance: OutgoingChatMessage = { id, principal, session: sender.sessionId, from, kind, payload };
    // With a unit of work open (an Idempotency-Key) it belongs to that one: a second connection could be waited for.
    const outcome = await (this.unitOfWork.isOpen
      ? this.commit([utterance]).then(([outcome]) => outcome)
      : this.laneOf(payload.conversationId).submit(utterance));
    if (!outcome) return this.refuse(sender);
    if ('reason' in outcome) throw communicationRefusedError(outcome, 'conversationId', this.clock.now());
    return outcome;
  }

  /** Resolves when nothing waits to be committed. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.idle()));
  }

  /** All that is said in a conversation goes one way, so it keeps its order; ids are evenly spread. */
  private laneOf(conversationId: string): Batcher<OutgoingChatMessage, Outcome> {
    return this.lanes[conversationId.charCodeAt(0) % LANES] ?? (this.lanes[0] as Batcher<OutgoingChatMessage, Outcome>);
  }

  private async refuse({ type, id }: Principal): Promise<never> {
    const isUnbound = type === 'watch' && !(await this.families.findByWatch(Number(id)));
    throw new ServiceError(isUnbound ? 'WATCH_UNBOUND' : 'CONVERSATION_NOT_FOUND');
  }

  /** Nearly everything is new, so it is stored without a look; the key of the table finds what is not. */
  private async commit(batch: readonly OutgoingChatMessage[]): Promise<Outcome[]> {
    const isDoubtful = this.unitOfWork.isOpen || batch.some(({ id }) => this.recent.has(id));
    for (const { id } of batch) this.recent.add(id);
    try {
      return await this.unitOfWork.run(() => this.store(batch, isDoubtful));
    } catch (error) {
      if (isDoubtful || !isDuplicateMessageError(error)) throw error;
      return this.unitOfWork.run(() => this.store(batch, true));
    }
  }

  private async store(batch: readonly OutgoingChatMessage[], isDoubtful: boolean): Promise<Outcome[]> {
    const conversations = await this.open(batch);
    const time = this.clock.now();
    const speeches = batch.map((utterance) => speechOf(utterance, conversations));
    const refusals = await this.rules.checkAll(speeches, time);
    // What was taken before a rule forbade it is answered as it was then.
    const numbers = await this.numbersOf(batch.filter((_, at) => isDoubtful || refusals[at]));
    const rows: ChatMessageRow[] = [];
    const entries: MailboxEntry[] = [];
    const grants: ReturnType<typeof mediaGrantEvents> = [];
    const outcomes = batch.map(({ id, session, from, kind, payload }, at): Outcome => {
      const speech = speeches[at];
      if (!speech) return undefined;
      const before = numbers.get(id);
      if (before !== undefined) return { id, conversationSeq: before };
      const refusal = refusals[at];
      if (refusal) return refusal;
      const { conversation, speaker, audible } = speech;
      const { conversationId } = conversation;
      const conversationSeq = (conversation.head += 1);
      numbers.set(id, conversationSeq);
      const numbered = { ...payload, conversationSeq };
      const row = { conversationId, conversationSeq, id, member: speaker.member, from, kind, time, payload: numbered };
      rows.push(row);
      addMailboxEntries(entries, row, speaker, audible, session);
      grants.push(...mediaGrantEvents({ id, kind, time, payload }, speaker, audible));
      return { id, conversationSeq };
    });
    if (rows.length > 0) await this.messages.store(rows);
    await this.outbox.appendMany(grants);
    this.mailboxes.enqueue(entries);
    return outcomes;
  }

  /** Under which numbers these are stored already, as far as they are. */
  private async numbersOf(utterances: readonly OutgoingChatMessage[]): Promise<Map<string, number>> {
    return utterances.length > 0 ? this.messages.findStoredSeqs(utterances.map(({ id }) => id)) : new Map();
  }

  /** The batch's conversations, locked, with who hears them. */
  private async open(batch: readonly OutgoingChatMessage[]): Promise<Map<string, OpenConversation>> {
    const wanted = new Set(batch.map(({ payload }) => payload.conversationId).filter(isUuid));
    const locked = await this.messages.lock([...wanted]);
    const known = new Map(locked.map((each) => [each, this.cache.find(each.conversationId, each.revision)]));
    const missing = locked.filter((each) => !known.get(each));
    if (missing.length > 0) {
      const found = await this.messages.findMembers(missing.map(({ conversationId }) => conversationId));
      for (const each of missing) known.set(each, found.get(each.conversationId));
      for (const [conversationId, audible] of found) this.cache.put(conversationId, audible);
    }
    return new Map(locked.map((each) => [each.conversationId, { ...each, audible: known.get(each) }]));
  }
}

/** Undefined: there is no such conversation, or the sender is no member of it. */
function speechOf(
  { principal, payload }: OutgoingChatMessage,
  conversations: ReadonlyMap<string, OpenConversation>,
): OpenSpeech | undefined {
  const conversation = conversations.get(payload.conversationId);
  const audible = conversation?.audible;
  const speaker = audible?.activeMembers.find((each) => each.principal === principal);
  return audible && speaker ? { conversation, audible, speaker } : undefined;
}
