import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  MESSAGE_KINDS,
  messageKindsByName,
  type MessageKind,
  type MessageKindDefinition,
  type MessageParty,
} from '@family-watch/domain/messages/contracts/message-kinds';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { INBOUND_PAYLOADS } from '../support/message-kinds/inbound.js';
import { OUTBOUND_SCENARIOS } from '../support/message-kinds/outbound.js';
import { MessageKindScenario } from '../support/message-kinds/scenario.js';
import { TestService } from '../support/test-service.js';
import { Watch } from '../support/watch.js';
import { describeBothDeployments } from '../support/deployments.js';

const PARTIES: readonly MessageParty[] = ['user', 'watch'];
const KINDS = Object.entries<MessageKindDefinition>(MESSAGE_KINDS) as [MessageKind, MessageKindDefinition][];
const INBOUND_KINDS = KINDS.flatMap(([kind, { inbound }]) => (inbound ? [[kind, inbound] as const] : []));
const OUTBOUND_KINDS = KINDS.flatMap(([kind, { outbound }]) => (outbound ? [[kind, outbound.to] as const] : []));

/** Sends a message of each kind. A kind without a scenario fails the suite, and so does a scenario without a kind. */
describeBothDeployments('message kinds', (deployment) => {
  let service: TestService;
  let scenario: MessageKindScenario;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    scenario = await MessageKindScenario.setUp(service);
  });
  afterAll(async () => {
    scenario.disconnectAll();
    await service.stop();
  });

  test('A14 the service defines the 22 kinds of the specification and three additional kinds', () => {
    expect(KINDS.filter(([, { isSpecified }]) => isSpecified)).toHaveLength(22);
    expect(KINDS).toHaveLength(25);
    for (const [kind, { inbound, outbound }] of KINDS)
      expect([kind, Boolean(inbound ?? outbound)]).toEqual([kind, true]);
  });

  test('each kind has a scenario, and each scenario has a kind', () => {
    expect(Object.keys(INBOUND_PAYLOADS).toSorted()).toEqual(INBOUND_KINDS.map(([kind]) => kind).toSorted());
    expect(Object.keys(OUTBOUND_SCENARIOS).toSorted()).toEqual(OUTBOUND_KINDS.map(([kind]) => kind).toSorted());
  });

  describe.each(INBOUND_KINDS)('%s from a client', (kind, { from, allowedWhileUnbound }) => {
    test.each(PARTIES)('is accepted from a %s only if the definition of the kind permits it', async (party) => {
      const answer = await scenario.sockets[party].send(kind, INBOUND_PAYLOADS[kind]?.(scenario, party) ?? {});
      const allowed = from.includes(party);
      expect(answer).toMatchObject(
        allowed ? { ok: true, time: expect.any(Number) } : { ok: false, reason: 'FORBIDDEN' },
      );
      const more = PAYLOAD_CLASSES[kind].response;
      if (allowed && more) expect(() => validateAs(more, answer)).not.toThrow();
    });

    test('is accepted from an unbound watch only if the definition of the kind permits it', async () => {
      const stray = await Watch.enrol(service.url);
      const socket = await stray.connect();
      const payload = kind === 'AckMessage' ? { seq: 0 } : INBOUND_PAYLOADS[kind]?.(scenario, 'watch');
      const answer = await socket.send(kind, payload ?? {});
      stray.disconnectAll();
      expect(answer).toMatchObject(allowedWhileUnbound ? { ok: true } : { ok: false, reason: 'WATCH_UNBOUND' });
    });
  });

  describe.each(OUTBOUND_KINDS)('%s to a client', (kind, to) => {
    test(`is delivered to a ${to.join(' and a ')}`, async () => {
      const play = OUTBOUND_SCENARIOS[kind];
      if (!play) throw new Error(`${kind} has no scenario: nothing shows that it is ever sent`);
      const begun = Date.now();
      const elsewhere = (await play(scenario)) ?? {};
      for (const party of to) {
        const socket = elsewhere[party] ?? scenario.sockets[party];
        const arrived = () => socket.messagesOfKind(kind).filter(({ time }) => time >= begun);
        await socket.waitFor(() => arrived().length > 0, `${kind} at the ${party}`);
        for (const { payload } of arrived()) expectDocumentedFields(kind, payload);
      }
      elsewhere.watch?.close();
    });
  });

  test.each(PARTIES)(
    'a %s receives only the kinds that are defined for it, without a gap in its sequence numbers',
    (party) => {
      const socket = scenario.sockets[party];
      const misled = socket.messages.filter(({ kind }) => !messageKindsByName.get(kind)?.outbound?.to.includes(party));
      expect(misled).toEqual([]);
      expect(socket.problems).toEqual([]);
    },
  );
});

/** Checks that the payload has exactly the documented fields. */
function expectDocumentedFields(kind: MessageKind, payload: unknown): void {
  const documented = PAYLOAD_CLASSES[kind].outbound;
  if (!documented) throw new Error(`${kind} has no class of its payload`);
  expect(JSON.parse(JSON.stringify(validateAs(documented, payload)))).toEqual(payload);
}
