import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ConversationModel, MEMBERS, SESSION_NAMES, SESSIONS } from '../support/conversation-model.js';
import type { Member, SessionName } from '../support/conversation-model.js';
import { ConversationScenario } from '../support/conversation-scenario.js';
import type { GatewayNode } from '../support/gateway-node.js';
import { GatewayTestEnvironment } from '../support/gateway-test-environment.js';

type Command = fc.AsyncCommand<ConversationModel, ConversationScenario>;

let world: GatewayTestEnvironment;
let nodes: GatewayNode[];

beforeAll(async () => {
  world = await GatewayTestEnvironment.shared();
  nodes = [await world.addNode(), await world.addNode()];
});

afterAll(() => world.stop());

/** A command that is always possible. */
function command(
  name: string,
  run: (model: ConversationModel, real: ConversationScenario) => Promise<void>,
  check: (model: Readonly<ConversationModel>) => boolean = () => true,
): Command {
  return { check, run, toString: () => name };
}

const say = (session: SessionName, number: number) =>
  command(`${session} says ${number}`, async (model, real) => {
    const { member } = SESSIONS[session];
    const said = { clientMsgId: String(number), conversationId: real.conversationId, text: `${session} ${number}` };
    const answer = await real.clientOf(session).send('ChatTextMessage', said);
    if (!model.present.has(member)) {
      expect(answer).toMatchObject({ ok: false, reason: 'CONVERSATION_NOT_FOUND' });
      return;
    }
    const { id, seq } = model.say(session, said.clientMsgId, 'id' in answer ? String(answer.id) : '');
    expect(answer).toMatchObject({ ok: true, id, conversationSeq: seq });
  });

/** Both phones of the owner say the same at once, and say it twice. */
const sayTwice = (number: number) =>
  command(`the owner says ${number} twice at once`, async (model, real) => {
    const said = { clientMsgId: String(number), conversationId: real.conversationId, text: `twice ${number}` };
    const client = real.clientOf('ownerPhone');
    const answers = await Promise.all([client.send('ChatTextMessage', said), client.send('ChatTextMessage', said)]);
    const [first] = answers;
    const { id, seq } = model.say('ownerPhone', said.clientMsgId, first && 'id' in first ? String(first.id) : '');
    for (const answer of answers) expect(answer).toMatchObject({ ok: true, id, conversationSeq: seq });
  });

const read = (member: Member, place: number) =>
  command(`${member} reads at ${place}`, async (model, real) => {
    const message = model.messages[Math.floor(place * model.messages.length)];
    if (!message) return;
    const body = { conversationId: real.conversationId, messageId: message.id };
    const { status, body: answer } = await real.rest(member, 1).post('read/mark', body);
    if (!model.present.has(member)) expect(answer).toMatchObject({ reason: 'CONVERSATION_NOT_FOUND' });
    else if (message.seq <= model.joinedAt[member]) expect(answer).toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
    else {
      expect(status).toBe(200);
      model.read(member, message.seq);
    }
  });

const recall = (member: Member, place: number) =>
  command(`${member} recalls at ${place}`, async (model, real) => {
    const message = model.messages[Math.floor(place * model.messages.length)];
    if (!message) return;
    const { status, body } = await real.rest(member).post('recall', { messageId: message.id });
    if (message.by !== member || !model.present.has(member)) {
      expect(body).toMatchObject({ reason: 'MESSAGE_NOT_FOUND' });
      return;
    }
    expect(status).toBe(200);
    message.recalled = true;
  });

const leave = command(
  'the guardian leaves',
  async (model, real) => {
    model.leave('guardian');
    await real.setGuardian(false);
  },
  (model) => model.present.has('guardian'),
);

const comeBack = command(
  'the guardian comes back',
  async (model, real) => {
    model.comeBack('guardian');
    await real.setGuardian(true);
  },
  (model) => !model.present.has('guardian'),
);

const acknowledge = (session: SessionName) =>
  command(`${session} acknowledges`, (_, real) => real.acknowledge(session));

const reconnect = (session: SessionName) => command(`${session} reconnects`, (_, real) => real.reconnect(session));

const look = (member: Member) =>
  command(`${member} looks`, async (model, real) => {
    const listed = await real.listed(member);
    if (!model.present.has(member)) {
      expect(listed).toBeUndefined();
      return;
    }
    expect(listed).toMatchObject({ unread: model.unreadOf(member), readSeq: model.readUpTo[member] });
    const expected = model.visibleTo(member).map(({ seq, id, recalled }) => [seq, id, recalled]);
    const history = await real.history(member);
    expect(history.map(({ conversationSeq, id, payload }) => [conversationSeq, id, payload === null])).toEqual(
      expected,
    );
  });

async function settle(model: ConversationModel, real: ConversationScenario): Promise<void> {
  for (const session of SESSION_NAMES) {
    const { must, may } = model.dueTo(session);
    const missing = () => must.filter((seq) => !real.numbersOf(session).includes(seq));
    await waitUntil(
      () => `${missing().join()} at ${session}`,
      () => missing().length === 0,
    );
    const numbers = real.numbersOf(session);
    // Each once, and in the order that all see.
    expect([session, numbers]).toEqual([session, [...new Set(numbers)].toSorted((one, other) => one - other)]);
    expect([session, numbers.filter((seq) => !may.has(seq))]).toEqual([session, []]);
    expect(real.clientOf(session).problems).toEqual([]);
  }
  for (const member of MEMBERS) await look(member).run(model, real);
  for (const session of SESSION_NAMES) await real.acknowledge(session);
  await expectDelivered(model, real);
}

/** The watch is shown as having what it has acknowledged; what was recalled counts only if it came before. */
async function expectDelivered(model: ConversationModel, real: ConversationScenario): Promise<void> {
  const others = model.messages.filter(({ by }) => by !== 'watch');
  const newestOf = (messages: typeof others) => Math.max(0, model.readUpTo.watch, ...messages.map(({ seq }) => seq));
  const least = newestOf(others.filter(({ recalled }) => !recalled));
  const delivered = async () =>
    (await real.listed('watch'))?.members.find(({ cid }) => cid !== null)?.deliveredSeq ?? -1;
  await waitUntil(`everything up to ${least} at the watch`, async () => (await delivered()) >= least);
  expect(await delivered()).toBeLessThanOrEqual(newestOf(others));
}

const sessions = fc.constantFrom(...SESSION_NAMES);
const members = fc.constantFrom(...MEMBERS);
const places = fc.integer({ min: 0, max: 99 }).map((percent) => percent / 100);
const commands = fc.commands(
  [
    fc.tuple(sessions, fc.integer({ min: 0, max: 9 })).map(([session, number]) => say(session, number)),
    fc.tuple(sessions, fc.integer({ min: 10, max: 99 })).map(([session, number]) => say(session, number)),
    fc.integer({ min: 0, max: 99 }).map((number) => sayTwice(number)),
    fc.tuple(members, places).map(([member, place]) => read(member, place)),
    fc.tuple(members, places).map(([member, place]) => recall(member, place)),
    fc.constant(leave),
    fc.constant(comeBack),
    sessions.map((session) => acknowledge(session)),
    sessions.map((session) => reconnect(session)),
    members.map((member) => look(member)),
  ],
  { maxCommands: 40, size: 'max' },
);

test('a conversation of several sessions on two nodes is what its model says', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (planned) => {
      const model = new ConversationModel();
      const real = await ConversationScenario.begin(world, nodes);
      try {
        await fc.asyncModelRun(() => ({ model, real }), planned);
        await settle(model, real);
      } finally {
        real.close();
      }
    }),
    { numRuns: propertyRuns(4), endOnFailure: true },
  );
});
