import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { callerOf, connect, createFamily } from '../support/clients.js';
import { conversationsOf } from '../support/conversations.js';
import type { FamilyFixture } from '../support/family-fixture.js';
import { anotherSession } from '../support/gateway-test-environment.js';
import { node, otherNode, useSharedGateway } from '../support/suite-gateway.js';

useSharedGateway();

/** Members of the modelled conversation, a family group. */
const MEMBERS = ['owner', 'guardian', 'watch'] as const;
type Member = (typeof MEMBERS)[number];

/** Sessions of the members, and the node to which each is connected first. */
const SESSIONS = {
  ownerPhone: { member: 'owner', node: 0 },
  ownerTablet: { member: 'owner', node: 1 },
  guardianPhone: { member: 'guardian', node: 1 },
  watch: { member: 'watch', node: 0 },
} as const satisfies Record<string, { member: Member; node: number }>;
type SessionName = keyof typeof SESSIONS;
const SESSION_NAMES = Object.keys(SESSIONS) as SessionName[];

interface ModelMessage {
  seq: number;
  id: string;
  sender: Member;
  session: SessionName;
  recalled: boolean;
  /** Members who joined before the message was sent and have not left: the message must be delivered to all of them. */
  expectedRecipients: Set<Member>;
}

interface ListedConversation {
  conversationId: string;
  members: { cid: string | null; deliveredSeq: number }[];
}

/** A conversation, the model of what its members observe, and their sessions. */
class ModelRun {
  private readonly messages: ModelMessage[] = [];
  private readonly messagesByKey = new Map<string, ModelMessage>();
  private readonly currentMembers = new Set<Member>(MEMBERS);
  private readonly joinedAt: Record<Member, number> = { owner: 0, guardian: 0, watch: 0 };
  private readonly readUpTo: Record<Member, number> = { owner: 0, guardian: 0, watch: 0 };
  private readonly clients = new Map<SessionName, TestClient>();
  /** Sequence numbers that each session received on its earlier connections, in order of receipt. */
  private readonly earlierSeqs = new Map<SessionName, number[]>();
  /** Mailbox cursor that each session sent when it last reconnected. */
  private readonly lastCursors = new Map<SessionName, number>();

  private readonly allMembers = this.fixture.family.members;

  private constructor(
    private readonly fixture: FamilyFixture,
    private readonly conversationId: string,
    private readonly principals: Record<SessionName, Principal>,
  ) {}

  static async start(): Promise<ModelRun> {
    const fixture = await createFamily();
    const { owner, guardian, watchPrincipal } = fixture;
    const { group } = await conversationsOf(fixture);
    const sessions = { ownerPhone: owner, ownerTablet: anotherSession(owner), guardianPhone: guardian };
    const run = new ModelRun(fixture, group, { ...sessions, watch: watchPrincipal });
    for (const session of SESSION_NAMES) await run.connect(session);
    return run;
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  async send(session: SessionName, number: number): Promise<void> {
    const response = await this.sendText(session, number);
    if (!this.currentMembers.has(SESSIONS[session].member)) {
      expect(response).toMatchObject({ ok: false, reason: 'CONVERSATION_NOT_FOUND' });
      return;
    }
    const { id, seq } = this.modelSend(session, number, response);
    expect(response).toMatchObject({ ok: true, id, conversationSeq: seq });
  }

  /** The owner's phone sends the same message twice concurrently. */
  async sendTwice(_: SessionName, number: number): Promise<void> {
    const responses = await Promise.all([1, 2].map(() => this.sendText('ownerPhone', number)));
    const { id, seq } = this.modelSend('ownerPhone', number, responses[0]);
    for (const response of responses) expect(response).toMatchObject({ ok: true, id, conversationSeq: seq });
  }

  async markRead(session: SessionName, number: number): Promise<void> {
    const { member } = SESSIONS[session];
    const message = this.messageAt(number);
    if (!message) return;
    const mark = { conversationId: this.conversationId, messageId: message.id };
    const { status, body } = await this.callerOf(member, 1).post('read/mark', mark);
    if (!this.currentMembers.has(member)) expect(body).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    else if (message.seq <= this.joinedAt[member]) expect(body).toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
    else {
      expect(status).toBe(200);
      this.readUpTo[member] = Math.max(this.readUpTo[member], message.seq);
    }
  }

  async recall(session: SessionName, number: number): Promise<void> {
    const { member } = SESSIONS[session];
    const message = this.messageAt(number);
    if (!message) return;
    const { status, body } = await this.callerOf(member).post('recall', { messageId: message.id });
    if (message.sender !== member || !this.currentMembers.has(member)) {
      expect(body).toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
      return;
    }
    expect(status).toBe(200);
    message.recalled = true;
  }

  /** The guardian leaves the family, or rejoins it. */
  async changeMembership(): Promise<void> {
    if (this.currentMembers.delete('guardian')) {
      for (const message of this.messages) message.expectedRecipients.delete('guardian');
      return this.fixture.removeGuardian();
    }
    this.currentMembers.add('guardian');
    this.joinedAt.guardian = this.messages.length;
    this.readUpTo.guardian = Math.max(this.readUpTo.guardian, this.messages.length);
    return this.fixture.change({ members: this.allMembers });
  }

  async acknowledge(session: SessionName): Promise<void> {
    const seq = this.receivedThrough(session);
    if (seq !== undefined) expect(await this.clientOf(session).send('AckMessage', { seq })).toMatchObject({ ok: true });
  }

  /** Closes the connection and reconnects to the other node with the session's cursor. */
  async reconnect(session: SessionName): Promise<void> {
    const oldClient = this.clientOf(session);
    const last = this.receivedThrough(session) ?? oldClient.hello?.head ?? 0;
    oldClient.close();
    this.earlierSeqs.set(session, this.receivedSeqsOf(session));
    this.lastCursors.set(session, last);
    await this.connect(session, last);
  }

  /** Compares the list of conversations and the history of a member with the model. */
  async checkView(session: SessionName): Promise<void> {
    const { member } = SESSIONS[session];
    const listed = await this.findListed(member);
    if (!this.currentMembers.has(member)) {
      expect(listed).toBeUndefined();
      return;
    }
    const visible = this.messages.filter(({ seq }) => seq > this.joinedAt[member]);
    const readSeq = this.readUpTo[member];
    const unread = visible.filter(({ seq, sender, recalled }) => seq > readSeq && sender !== member && !recalled);
    expect(listed).toMatchObject({ unread: unread.length, readSeq });
    const { conversationId } = this;
    const { body } = await this.callerOf(member).get('history/get', { conversationId, limit: '200' });
    const history = (body['items'] as { id: string; conversationSeq: number; payload: object | null }[]).toReversed();
    expect(history.map(({ conversationSeq, id, payload }) => [conversationSeq, id, payload === null])).toEqual(
      visible.map(({ seq, id, recalled }) => [seq, id, recalled]),
    );
  }

  async waitForDelivery(): Promise<void> {
    for (const session of SESSION_NAMES) {
      const { member } = SESSIONS[session];
      // A watch has a single session and does not receive its own messages.
      const allowed = this.messages.filter(
        (message) => message.session !== session && (message.sender !== member || member !== 'watch'),
      );
      const required = allowed.filter(
        ({ expectedRecipients, recalled }) => expectedRecipients.has(member) && !recalled,
      );
      const missing = () => required.filter(({ seq }) => !this.receivedSeqsOf(session).includes(seq));
      await waitUntil(
        () => `${missing().length} messages at ${session}`,
        () => missing().length === 0,
      );
      const seqs = this.receivedSeqsOf(session);
      // Each session has received each sequence number at most once, and in ascending order.
      expect([session, seqs]).toEqual([session, [...new Set(seqs)].toSorted((one, other) => one - other)]);
      expect(allowed.map(({ seq }) => seq)).toEqual(expect.arrayContaining(seqs));
      expect(this.clientOf(session).problems).toEqual([]);
    }
    for (const session of SESSION_NAMES) await this.checkView(session);
    for (const session of SESSION_NAMES) await this.acknowledge(session);
    await this.expectDeliveredMark();
  }

  /**
   * Expects the watch's delivered mark to cover every message that it has acknowledged. A recalled message counts only if
   * the watch acknowledged it before the recall.
   */
  private async expectDeliveredMark(): Promise<void> {
    const messagesOfOthers = this.messages.filter(({ sender }) => sender !== 'watch');
    const newestOf = (messages: ModelMessage[]) => Math.max(0, this.readUpTo.watch, ...messages.map(({ seq }) => seq));
    const minDeliveredSeq = newestOf(messagesOfOthers.filter(({ recalled }) => !recalled));
    const delivered = async () =>
      (await this.findListed('watch'))?.members.find(({ cid }) => cid !== null)?.deliveredSeq ?? -1;
    await waitUntil(`all up to ${minDeliveredSeq} at the watch`, async () => (await delivered()) >= minDeliveredSeq);
    expect(await delivered()).toBeLessThanOrEqual(newestOf(messagesOfOthers));
  }

  private clientOf(session: SessionName): TestClient {
    return this.clients.get(session) as TestClient;
  }

  private callerOf(member: Member, at = 0) {
    const session = SESSION_NAMES.find((name) => SESSIONS[name].member === member) as SessionName;
    return callerOf(this.principals[session], at === 0 ? node : otherNode);
  }

  private async findListed(member: Member): Promise<ListedConversation | undefined> {
    const { body } = await this.callerOf(member, 1).get('conversation/list');
    return (body['items'] as ListedConversation[]).find(({ conversationId }) => conversationId === this.conversationId);
  }

  private sendText(session: SessionName, number: number) {
    const text = `${SESSIONS[session].member} ${number}`;
    const payload = { clientMsgId: String(number), conversationId: this.conversationId, text };
    return this.clientOf(session).send('ChatTextMessage', payload);
  }

  /** Returns the message with this number of the member; adds it, with the id of the response, if it is new. */
  private modelSend(session: SessionName, number: number, response: object | undefined): ModelMessage {
    const sender = SESSIONS[session].member;
    const existing = this.messagesByKey.get(`${sender}:${number}`);
    if (existing) return existing;
    const id = response && 'id' in response ? String(response.id) : '';
    const expectedRecipients = new Set(this.currentMembers);
    const message = { seq: this.messages.length + 1, id, sender, session, recalled: false, expectedRecipients };
    this.messages.push(message);
    this.messagesByKey.set(`${sender}:${number}`, message);
    return message;
  }

  /** Returns the message at this percentage of all messages. */
  private messageAt(percent: number): ModelMessage | undefined {
    return this.messages[Math.floor((percent * this.messages.length) / 100)];
  }

  private receivedSeqsOf(session: SessionName): number[] {
    const current = this.clientOf(session).messagesOfKind('ChatTextMessage');
    const seqs = current.map(({ payload }) => (payload as { conversationSeq: number }).conversationSeq);
    return [...(this.earlierSeqs.get(session) ?? []), ...seqs];
  }

  private receivedThrough(session: SessionName): number | undefined {
    const frame = this.clientOf(session).frames.findLast(({ through }) => through !== undefined);
    return frame?.through ?? this.lastCursors.get(session);
  }

  /** Connects the session to its first node, or with its cursor to the other node. */
  private async connect(session: SessionName, last?: number): Promise<void> {
    const isFirstNode = (SESSIONS[session].node === 0) === (last === undefined);
    const cursor = last === undefined ? {} : { last };
    this.clients.set(session, await connect(this.principals[session], isFirstNode ? node : otherNode, cursor));
  }
}

const steps = fc.array(
  fc.record({
    action: fc.constantFrom(
      ...(['send', 'send', 'sendTwice', 'markRead', 'recall'] as const),
      ...(['changeMembership', 'acknowledge', 'reconnect', 'checkView'] as const),
    ),
    session: fc.constantFrom(...SESSION_NAMES),
    // Small numbers are often used twice.
    number: fc.oneof(fc.nat(9), fc.nat(99)),
  }),
  { minLength: 10, maxLength: 40, size: 'max' },
);

// Several conversations at the same time, because each run waits for receipts, which the service collects for a second.
test('several sessions on two nodes observe a conversation as the model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(steps, steps, steps, steps), async (conversations) => {
      const runs = conversations.map(async (planned) => {
        const run = await ModelRun.start();
        try {
          for (const { action, session, number } of planned) await run[action](session, number);
          await run.waitForDelivery();
        } finally {
          run.close();
        }
      });
      await Promise.all(runs);
    }),
    { numRuns: propertyRuns(1), endOnFailure: true },
  );
});
