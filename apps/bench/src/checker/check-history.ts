import type {
  GuaranteeViolation,
  ViolationKind,
  History,
  DeliveryGuarantees,
  ReceivedMessage,
  SentMessage,
  SessionHistory,
} from './history.js';

const EVERYTHING: DeliveryGuarantees = { ranges: true, conversationNumbers: true };

/**
 * Holds what clients saw against what the service promises: nothing acknowledged is lost, nothing comes twice to a
 * session, ranges follow each other, and the order in a conversation is the same for all. To be asked when
 * everything has been delivered. Pure: the same history gives the same faults.
 */
export function checkHistory(history: History, promises: DeliveryGuarantees = EVERYTHING): GuaranteeViolation[] {
  const check = new HistoryCheck(history.sent, promises);
  for (const message of history.sent) check.answersOf(message);
  for (const session of history.sessions) check.deliveriesTo(session);
  return check.faults;
}

class HistoryCheck {
  readonly faults: GuaranteeViolation[] = [];
  private readonly sentById = new Map<string, SentMessage>();
  private readonly acknowledgedIn = new Map<string, SentMessage[]>();
  /** Id of the message that was sent under a clientMsgId, and its number, as first heard of. */
  private readonly idOf = new Map<string, string>();
  private readonly numberOf = new Map<string, number>();
  private readonly holderOf = new Map<string, string>();

  constructor(
    sent: readonly SentMessage[],
    private readonly promises: DeliveryGuarantees,
  ) {
    for (const message of sent) {
      this.sentById.set(message.clientMsgId, message);
      if (message.answers.length === 0) continue;
      const known = this.acknowledgedIn.get(message.conversationId);
      if (known) known.push(message);
      else this.acknowledgedIn.set(message.conversationId, [message]);
    }
  }

  answersOf({ sender, clientMsgId, conversationId, answers }: SentMessage): void {
    for (const { id, conversationSeq } of answers) {
      this.assertOneId(sender, clientMsgId, id);
      this.assertOneNumber(sender, conversationId, id, conversationSeq);
    }
  }

  deliveriesTo(session: SessionHistory): void {
    const reading = new Reading(session.session, this);
    for (const event of session.events) {
      if (event.type === 'hello') reading.greet(event);
      else {
        if (this.promises.ranges) reading.range(event.range, event.messages);
        for (const message of event.messages) this.delivery(reading, message);
      }
    }
    for (const conversation of session.conversations) {
      for (const { clientMsgId } of this.acknowledgedIn.get(conversation) ?? []) {
        if (!reading.got.has(clientMsgId)) this.fault('lost', session.session, `${clientMsgId} was acknowledged`);
      }
    }
  }

  fault(kind: ViolationKind, where: string, what: string): void {
    this.faults.push({ kind, where, what });
  }

  private delivery(reading: Reading, message: ReceivedMessage): void {
    const { session } = reading;
    const { id, conversationId, conversationSeq, clientMsgId, intact } = message;
    const sent = this.sentById.get(clientMsgId);
    if (!sent || sent.conversationId !== conversationId) this.fault('forged', session, `${clientMsgId} was not sent`);
    if (!intact) this.fault('forged', session, `${clientMsgId} has another text`);
    if (reading.got.has(clientMsgId)) {
      this.fault('duplicate', session, `${clientMsgId} came twice`);
      return;
    }
    reading.got.add(clientMsgId);
    this.assertOneId(session, clientMsgId, id);
    reading.mailboxOrder(message);
    if (!this.promises.conversationNumbers) return;
    this.assertOneNumber(session, conversationId, id, conversationSeq);
    reading.conversationOrder(message);
  }

  private assertOneId(where: string, clientMsgId: string, id: string): void {
    const known = this.idOf.get(clientMsgId);
    if (known === undefined) this.idOf.set(clientMsgId, id);
    else if (known !== id) this.fault('duplicate', where, `${clientMsgId} is both ${known} and ${id}`);
  }

  private assertOneNumber(where: string, conversationId: string, id: string, number: number): void {
    if (!this.promises.conversationNumbers) return;
    const known = this.numberOf.get(id);
    if (known !== undefined) {
      if (known !== number) this.fault('disagreement', where, `${id} is number ${known} and ${number}`);
      return;
    }
    this.numberOf.set(id, number);
    const place = `${conversationId}/${number}`;
    const holder = this.holderOf.get(place);
    if (holder === undefined) this.holderOf.set(place, id);
    else this.fault('disagreement', where, `${holder} and ${id} are both number ${number} of ${conversationId}`);
  }
}

/** One session's reading of its mailbox, event by event. */
class Reading {
  readonly got = new Set<string>();
  private through: number | undefined;
  private lastSeq = 0;
  private readonly lastIn = new Map<string, number>();

  constructor(
    readonly session: string,
    private readonly check: HistoryCheck,
  ) {}

  greet({ last, reset }: { last?: number; reset: boolean }): void {
    if (reset) this.check.fault('reset', this.session, `at ${String(last)}`);
    if (last === undefined) return;
    if (this.through !== undefined && last !== this.through) {
      this.check.fault('gap', this.session, `came back with ${last}, had read through ${this.through}`);
    }
    this.through = last;
  }

  range(range: { after: number; through: number } | undefined, messages: readonly ReceivedMessage[]): void {
    if (!range) {
      if (messages.length > 0) this.check.fault('gap', this.session, 'durable messages without a range');
      return;
    }
    const { after, through } = range;
    if (this.through !== undefined && after !== this.through) {
      this.check.fault('gap', this.session, `a range begins after ${after}, not ${this.through}`);
    }
    if (through < after) this.check.fault('gap', this.session, `a range ends at ${through}, before its beginning`);
    const outside = messages.find(({ seq }) => seq <= after || seq > through);
    if (outside) this.check.fault('gap', this.session, `number ${outside.seq} in the range ${after} to ${through}`);
    this.through = through;
  }

  mailboxOrder({ seq }: ReceivedMessage): void {
    if (seq <= this.lastSeq) this.check.fault('order', this.session, `number ${seq} after ${this.lastSeq}`);
    this.lastSeq = seq;
  }

  conversationOrder({ conversationId, conversationSeq }: ReceivedMessage): void {
    const last = this.lastIn.get(conversationId) ?? 0;
    if (conversationSeq <= last) {
      this.check.fault('order', this.session, `${conversationId}: number ${conversationSeq} after ${last}`);
    }
    this.lastIn.set(conversationId, conversationSeq);
  }
}
