import type {
  GuaranteeViolation,
  ViolationKind,
  History,
  DeliveryGuarantees,
  ReceivedMessage,
  SentMessage,
  SessionHistory,
} from './history.js';

/** Guarantees that some of the measured servers lack. The check for lost and repeated messages has no option. */
const ALL_OPTIONAL_GUARANTEES: DeliveryGuarantees = { ranges: true, conversationNumbers: true };

/**
 * Checks the clients' history against the delivery guarantees: no acknowledged message is lost, no message is delivered
 * twice to a session, ranges are contiguous, and all sessions see the same order in a conversation. Must be called
 * after all messages were delivered.
 */
export function checkHistory(
  history: History,
  guarantees: DeliveryGuarantees = ALL_OPTIONAL_GUARANTEES,
): GuaranteeViolation[] {
  const check = new HistoryCheck(history.sent, guarantees);
  for (const message of history.sent) check.checkResponses(message);
  for (const session of history.sessions) check.checkDeliveries(session);
  return check.violations;
}

class HistoryCheck {
  readonly violations: GuaranteeViolation[] = [];
  private readonly sentById = new Map<string, SentMessage>();
  private readonly acknowledgedByConversation = new Map<string, SentMessage[]>();
  /** First reported message id of each clientMsgId. */
  private readonly idByClientMsgId = new Map<string, string>();
  /** First reported conversation sequence number of each message id. */
  private readonly seqById = new Map<string, number>();
  /** Message ids by conversation and sequence number; the keys are `<conversationId>/<conversationSeq>`. */
  private readonly idBySeq = new Map<string, string>();
  /**
   * Entries of all mailboxes in both directions: the message id by the key `<principal>/<seq>`, and the sequence number
   * by the key `<principal>/<id>`.
   */
  private readonly mailboxEntries = new Map<string, string | number>();

  constructor(
    sent: readonly SentMessage[],
    private readonly guarantees: DeliveryGuarantees,
  ) {
    for (const message of sent) {
      this.sentById.set(message.clientMsgId, message);
      if (message.acknowledgements.length === 0) continue;
      const acknowledged = this.acknowledgedByConversation.get(message.conversationId);
      if (acknowledged) acknowledged.push(message);
      else this.acknowledgedByConversation.set(message.conversationId, [message]);
    }
  }

  checkResponses({ sender, clientMsgId, conversationId, acknowledgements }: SentMessage): void {
    for (const { id, conversationSeq } of acknowledgements) {
      this.assertSameId(sender, clientMsgId, id);
      this.assertSameNumber(sender, conversationId, id, conversationSeq);
    }
  }

  checkDeliveries(session: SessionHistory): void {
    const sessionCheck = new SessionCheck(session, this);
    for (const event of session.events) {
      if (event.type === 'hello') sessionCheck.checkHello(event);
      else {
        if (this.guarantees.ranges) sessionCheck.checkRange(event.range, event.messages);
        for (const message of event.messages) this.checkDelivery(sessionCheck, message);
      }
    }
    for (const conversation of session.conversations) {
      for (const { clientMsgId, sender } of this.acknowledgedByConversation.get(conversation) ?? []) {
        if (sender !== sessionCheck.principal && !sessionCheck.received.has(clientMsgId))
          this.report('lost', session.session, `${clientMsgId} was acknowledged but not delivered`);
      }
    }
  }

  report(kind: ViolationKind, source: string, what: string): void {
    this.violations.push({ kind, source, what });
  }

  private checkDelivery(sessionCheck: SessionCheck, message: ReceivedMessage): void {
    const { session } = sessionCheck;
    const { id, conversationId, conversationSeq, clientMsgId, isTextIntact } = message;
    const sent = this.sentById.get(clientMsgId);
    if (!sent || sent.conversationId !== conversationId) this.report('forged', session, `${clientMsgId} was not sent`);
    if (!isTextIntact) this.report('forged', session, `${clientMsgId} has a different text`);
    if (sessionCheck.received.has(clientMsgId)) {
      this.report('duplicate', session, `${clientMsgId} was delivered twice`);
      return;
    }
    sessionCheck.received.add(clientMsgId);
    this.assertSameId(session, clientMsgId, id);
    this.assertSameMailboxEntry(sessionCheck, message);
    sessionCheck.checkMailboxOrder(message);
    if (!this.guarantees.conversationNumbers) return;
    this.assertSameNumber(session, conversationId, id, conversationSeq);
    sessionCheck.checkConversationOrder(message);
  }

  private assertSameId(source: string, clientMsgId: string, id: string): void {
    const firstId = this.idByClientMsgId.get(clientMsgId);
    if (firstId === undefined) this.idByClientMsgId.set(clientMsgId, id);
    else if (firstId !== id) this.report('duplicate', source, `${clientMsgId} has the ids ${firstId} and ${id}`);
  }

  private assertSameMailboxEntry({ session, principal }: SessionCheck, { id, seq }: ReceivedMessage): void {
    for (const [key, value] of [
      [`${principal}/${id}`, seq],
      [`${principal}/${seq}`, id],
    ] as const) {
      const first = this.mailboxEntries.get(key);
      if (first === undefined) this.mailboxEntries.set(key, value);
      else if (first !== value) this.report('disagreement', session, `${key} is ${first} and ${value}`);
    }
  }

  private assertSameNumber(source: string, conversationId: string, id: string, seq: number): void {
    if (!this.guarantees.conversationNumbers) return;
    const firstSeq = this.seqById.get(id);
    if (firstSeq !== undefined) {
      if (firstSeq !== seq) this.report('disagreement', source, `${id} has the numbers ${firstSeq} and ${seq}`);
      return;
    }
    this.seqById.set(id, seq);
    const key = `${conversationId}/${seq}`;
    const otherId = this.idBySeq.get(key);
    if (otherId === undefined) this.idBySeq.set(key, id);
    else this.report('disagreement', source, `${otherId} and ${id} both have number ${seq} of ${conversationId}`);
  }
}

/** Checks the events of one session in order. */
class SessionCheck {
  /** `clientMsgId` of each message that the session has received. */
  readonly received = new Set<string>();
  /** End of the last received range of sequence numbers. */
  private through: number | undefined;
  private lastSeq = 0;
  private readonly lastSeqByConversation = new Map<string, number>();

  readonly session: string;
  readonly principal: string;

  constructor(
    { session, principal = session }: SessionHistory,
    private readonly check: HistoryCheck,
  ) {
    this.session = session;
    this.principal = principal;
  }

  checkHello({ last, reset }: { last?: number; reset: boolean }): void {
    if (reset) this.check.report('reset', this.session, `the mailbox was reset at cursor ${String(last)}`);
    if (last === undefined) return;
    if (this.through !== undefined && last !== this.through) {
      this.check.report('gap', this.session, `reconnected with cursor ${last}, had received through ${this.through}`);
    }
    this.through = last;
  }

  checkRange(range: { after: number; through: number } | undefined, messages: readonly ReceivedMessage[]): void {
    if (!range) {
      if (messages.length > 0) this.check.report('gap', this.session, 'durable messages without a range');
      return;
    }
    const { after, through } = range;
    if (this.through !== undefined && after !== this.through) {
      this.check.report('gap', this.session, `a range starts after ${after}, not after ${this.through}`);
    }
    if (through < after) this.check.report('gap', this.session, `a range ends at ${through}, before its start`);
    const outside = messages.find(({ seq }) => seq <= after || seq > through);
    if (outside)
      this.check.report('gap', this.session, `number ${outside.seq} is outside the range ${after} to ${through}`);
    this.through = through;
  }

  checkMailboxOrder({ seq }: ReceivedMessage): void {
    if (seq <= this.lastSeq) this.check.report('order', this.session, `number ${seq} after ${this.lastSeq}`);
    this.lastSeq = seq;
  }

  checkConversationOrder({ conversationId, conversationSeq }: ReceivedMessage): void {
    const last = this.lastSeqByConversation.get(conversationId) ?? 0;
    if (conversationSeq <= last) {
      this.check.report('order', this.session, `${conversationId}: number ${conversationSeq} after ${last}`);
    }
    this.lastSeqByConversation.set(conversationId, conversationSeq);
  }
}
