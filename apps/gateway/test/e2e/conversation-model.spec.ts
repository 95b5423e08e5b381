import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConversationModel, MEMBERS, SESSION_NAMES, SESSIONS } from '../support/conversation-model.js';
import type { Member, SessionName } from '../support/conversation-model.js';
import { ConversationScenario } from '../support/conversation-scenario.js';
import { environment, node, otherNode, useSharedGateway } from '../support/suite-gateway.js';

type Command = fc.AsyncCommand<ConversationModel, ConversationScenario>;

useSharedGateway();

/** Creates a command of the model test; a command without `check` can run in every state. */
function command(
  name: string,
  run: (model: ConversationModel, scenario: ConversationScenario) => Promise<void>,
  check: (model: Readonly<ConversationModel>) => boolean = () => true,
): Command {
  return { check, run, toString: () => name };
}

const sendText = (session: SessionName, number: number) =>
  command(`${session} sends ${number}`, async (model, scenario) => {
    const { member } = SESSIONS[session];
    const payload = {
      clientMsgId: String(number),
      conversationId: scenario.conversationId,
      text: `${session} ${number}`,
    };
    const response = await scenario.clientOf(session).send('ChatTextMessage', payload);
    if (!model.currentMembers.has(member)) {
      expect(response).toMatchObject({ ok: false, reason: 'CONVERSATION_NOT_FOUND' });
      return;
    }
    const { id, seq } = model.send(session, payload.clientMsgId, 'id' in response ? String(response.id) : '');
    expect(response).toMatchObject({ ok: true, id, conversationSeq: seq });
  });

/** The owner's phone sends the same message twice concurrently. */
const sendTwice = (number: number) =>
  command(`the owner sends ${number} twice concurrently`, async (model, scenario) => {
    const payload = { clientMsgId: String(number), conversationId: scenario.conversationId, text: `twice ${number}` };
    const client = scenario.clientOf('ownerPhone');
    const responses = await Promise.all([
      client.send('ChatTextMessage', payload),
      client.send('ChatTextMessage', payload),
    ]);
    const [first] = responses;
    const { id, seq } = model.send('ownerPhone', payload.clientMsgId, first && 'id' in first ? String(first.id) : '');
    for (const response of responses) expect(response).toMatchObject({ ok: true, id, conversationSeq: seq });
  });

const markRead = (member: Member, position: number) =>
  command(`${member} reads the message at ${position}`, async (model, scenario) => {
    const message = model.messages[Math.floor(position * model.messages.length)];
    if (!message) return;
    const body = { conversationId: scenario.conversationId, messageId: message.id };
    const { status, body: response } = await scenario.restCallerOf(member, 1).post('read/mark', body);
    if (!model.currentMembers.has(member)) expect(response).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    else if (message.seq <= model.joinedAt[member]) expect(response).toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
    else {
      expect(status).toBe(200);
      model.markRead(member, message.seq);
    }
  });

const recall = (member: Member, position: number) =>
  command(`${member} recalls the message at ${position}`, async (model, scenario) => {
    const message = model.messages[Math.floor(position * model.messages.length)];
    if (!message) return;
    const { status, body } = await scenario.restCallerOf(member).post('recall', { messageId: message.id });
    if (message.sender !== member || !model.currentMembers.has(member)) {
      expect(body).toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
      return;
    }
    expect(status).toBe(200);
    message.recalled = true;
  });

const guardianLeaves = command(
  'the guardian leaves',
  async (model, scenario) => {
    model.leave('guardian');
    await scenario.setGuardianMembership(false);
  },
  (model) => model.currentMembers.has('guardian'),
);

const guardianRejoins = command(
  'the guardian rejoins',
  async (model, scenario) => {
    model.rejoin('guardian');
    await scenario.setGuardianMembership(true);
  },
  (model) => !model.currentMembers.has('guardian'),
);

const acknowledge = (session: SessionName) =>
  command(`${session} acknowledges`, (_, scenario) => scenario.acknowledge(session));

const reconnect = (session: SessionName) =>
  command(`${session} reconnects`, (_, scenario) => scenario.reconnect(session));

const checkMemberView = (member: Member) =>
  command(`${member} checks its view`, async (model, scenario) => {
    const listed = await scenario.findListedConversation(member);
    if (!model.currentMembers.has(member)) {
      expect(listed).toBeUndefined();
      return;
    }
    expect(listed).toMatchObject({ unread: model.countUnread(member), readSeq: model.readUpTo[member] });
    const expected = model.visibleTo(member).map(({ seq, id, recalled }) => [seq, id, recalled]);
    const history = await scenario.readHistory(member);
    expect(history.map(({ conversationSeq, id, payload }) => [conversationSeq, id, payload === null])).toEqual(
      expected,
    );
  });

async function waitForDelivery(model: ConversationModel, scenario: ConversationScenario): Promise<void> {
  for (const session of SESSION_NAMES) {
    const { required, allowed } = model.expectedDeliveries(session);
    const missing = () => required.filter((seq) => !scenario.receivedSeqsOf(session).includes(seq));
    await waitUntil(
      () => `${missing().join()} at ${session}`,
      () => missing().length === 0,
    );
    const seqs = scenario.receivedSeqsOf(session);
    // Each session has received each sequence number at most once, and in ascending order.
    expect([session, seqs]).toEqual([session, [...new Set(seqs)].toSorted((one, other) => one - other)]);
    expect([session, seqs.filter((seq) => !allowed.has(seq))]).toEqual([session, []]);
    expect(scenario.clientOf(session).problems).toEqual([]);
  }
  for (const member of MEMBERS) await checkMemberView(member).run(model, scenario);
  for (const session of SESSION_NAMES) await scenario.acknowledge(session);
  await expectDeliveredMark(model, scenario);
}

/**
 * Expects the watch's delivered mark to cover every message that it has acknowledged. A recalled message counts only if
 * the watch acknowledged it before the recall.
 */
async function expectDeliveredMark(model: ConversationModel, scenario: ConversationScenario): Promise<void> {
  const messagesOfOthers = model.messages.filter(({ sender }) => sender !== 'watch');
  const newestOf = (messages: typeof messagesOfOthers) =>
    Math.max(0, model.readUpTo.watch, ...messages.map(({ seq }) => seq));
  const minDeliveredSeq = newestOf(messagesOfOthers.filter(({ recalled }) => !recalled));
  const delivered = async () =>
    (await scenario.findListedConversation('watch'))?.members.find(({ cid }) => cid !== null)?.deliveredSeq ?? -1;
  await waitUntil(
    `everything up to ${minDeliveredSeq} at the watch`,
    async () => (await delivered()) >= minDeliveredSeq,
  );
  expect(await delivered()).toBeLessThanOrEqual(newestOf(messagesOfOthers));
}

const anySession = fc.constantFrom(...SESSION_NAMES);
const anyMember = fc.constantFrom(...MEMBERS);
const relativePositions = fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100);
const commands = fc.commands(
  [
    fc.tuple(anySession, fc.integer({ min: 0, max: 9 })).map(([session, number]) => sendText(session, number)),
    fc.tuple(anySession, fc.integer({ min: 10, max: 99 })).map(([session, number]) => sendText(session, number)),
    fc.integer({ min: 0, max: 99 }).map((number) => sendTwice(number)),
    fc.tuple(anyMember, relativePositions).map(([member, position]) => markRead(member, position)),
    fc.tuple(anyMember, relativePositions).map(([member, position]) => recall(member, position)),
    fc.constant(guardianLeaves),
    fc.constant(guardianRejoins),
    anySession.map((session) => acknowledge(session)),
    anySession.map((session) => reconnect(session)),
    anyMember.map((member) => checkMemberView(member)),
  ],
  { maxCommands: 40, size: 'max' },
);

async function runCommands(plannedCommands: Iterable<Command>): Promise<void> {
  const model = new ConversationModel();
  const scenario = await ConversationScenario.start(environment, [node, otherNode]);
  try {
    await fc.asyncModelRun(() => ({ model, real: scenario }), plannedCommands);
    await waitForDelivery(model, scenario);
  } finally {
    scenario.close();
  }
}

// Several conversations at the same time, because each run waits for receipts, which the service collects for a second.
test('several sessions on two nodes observe a conversation as the model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(commands, commands, commands, commands), async (conversations) => {
      await Promise.all(conversations.map(runCommands));
    }),
    { numRuns: propertyRuns(1), endOnFailure: true },
  );
});
