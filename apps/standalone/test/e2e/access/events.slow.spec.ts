import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { EVENT_ROWS, type EventIds } from '../../support/access/event-rows.js';
import { declaredEvents } from '../../support/declared-operations.js';
import { idsOf } from '../../support/access/ids.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { TestService } from '../../support/test-service.js';
import { Watch } from '../../support/watch.js';
import { describeBothDeployments } from '../../support/deployments.js';

interface Sockets {
  owner: TestClient;
  guardian: TestClient;
  watch: TestClient;
}

/** An event without a row in the access matrix fails the suite, and so does a row without an event. */
describeBothDeployments('A1, A2, A17 access matrix of the socket events', (deployment) => {
  let service: TestService;
  let own: FamilyFixture;
  let foreign: FamilyFixture;
  let sockets: Sockets;
  let foreignSockets: Sockets;
  let unbound: TestClient;
  let ids: EventIds;
  let foreignIds: EventIds;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
    [own, foreign] = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
    const stray = await Watch.enrol(service.url);
    unbound = await stray.connect();
    [sockets, foreignSockets] = await Promise.all([connectSockets(own), connectSockets(foreign)]);
    [ids, foreignIds] = await Promise.all([eventIds(own, sockets), eventIds(foreign, foreignSockets)]);
  });
  afterAll(async () => {
    for (const { owner, guardian, watch } of [sockets, foreignSockets]) {
      for (const socket of [owner, guardian, watch]) socket.close();
    }
    unbound.close();
    await service.stop();
  });

  async function connectSockets({ owner, guardian, watch }: FamilyFixture): Promise<Sockets> {
    return { owner: await owner.connect(), guardian: await guardian.connect(), watch: await watch.connect() };
  }

  /** Returns the ids of a family, and the id of a notice that all its sockets received when `idsOf` added a contact. */
  async function eventIds(fixture: FamilyFixture, { owner, guardian, watch }: Sockets): Promise<EventIds> {
    const named = await idsOf(service, fixture);
    const notice = 'ContactsChangeNoticeMessage';
    for (const socket of [owner, guardian, watch]) {
      await socket.waitFor(() => socket.messagesOfKind(notice).length > 0, notice);
    }
    return {
      ...named,
      messageId: owner.messagesOfKind(notice)[0]?.id ?? '',
      token: fixture.guardian.tokens.accessToken,
    };
  }

  test('the access matrix lists exactly the events that the application declares, with their senders', async () => {
    const declared = await declaredEvents();
    const rows = Object.entries(EVENT_ROWS).map(([event, { senderKinds }]) => [event, [...senderKinds]]);
    expect(rows.toSorted()).toEqual(declared.map(({ event, from }) => [event, [...from]]).toSorted());
  });

  describe.each(Object.entries(EVENT_ROWS))('event %s', (event, row) => {
    test('is accepted from permitted senders with ids of their family, and rejected with FORBIDDEN from other senders', async () => {
      for (const [actor, socket] of Object.entries(sockets) as [keyof Sockets, TestClient][]) {
        const token = own[actor].token ?? '';
        const answer = await socket.send(event, row.payload({ ...ids, token }));
        const allowed = row.senderKinds.includes(actor === 'watch' ? 'watch' : 'user');
        expect([actor, answer]).toMatchObject([actor, allowed ? { ok: true } : { ok: false, reason: 'FORBIDDEN' }]);
      }
    });

    test('has the outcome that the access matrix lists when an unbound watch sends it', async () => {
      const answer = await unbound.send(event, row.payload({ ...ids, token: ids.token }));
      // A token of another principal is rejected for any sender.
      const outcome = event === 'token' ? 'FORBIDDEN' : row.outcomeWhenUnbound;
      expect(answer).toMatchObject(outcome === 'ok' ? { ok: true } : { ok: false, reason: outcome });
    });

    for (const [name, outcome] of Object.entries(row.rejections)) {
      test(`returns the same error for a ${name} of another family as for an unknown ${name}`, async () => {
        await Promise.all(
          (['owner', 'watch'] as const).map(async (actor) => {
            const others = [foreignIds[name as keyof EventIds], randomUUID()];
            const answers = await Promise.all(
              others.map((other) => {
                const value = name === 'token' ? foreign.owner.token : other;
                return sockets[actor].send(event, row.payload({ ...ids, [name]: value }));
              }),
            );
            expect(answers[0]).toEqual(answers[1]);
            expect(answers[0]).toMatchObject({ ok: false, reason: outcome });
          }),
        );
      });
    }
  });

  test('events of a watch with ids and sender of another family change only data of its own family and name their true sender', async () => {
    const before = foreignSockets.owner.messages.length;
    const positionOf = (cid: string) => service.query('SELECT * FROM userctx.child_location WHERE cid = $1', [cid]);
    const position = await positionOf(foreignIds.cid);
    const from = { type: 'watch', id: String(foreignIds.did) };
    const answers = new Map<string, object>();
    for (const event of ['LocationPointChangeMessage', 'WristwatchStartupNoticeMessage', 'HeartbeatMessage']) {
      answers.set(event, await sockets.watch.send(event, { ...EVENT_ROWS[event]?.payload(foreignIds), from }));
    }
    const chat = { ...EVENT_ROWS['ChatTextMessage']?.payload(ids), clientMsgId: 'foreign sender' };
    answers.set('ChatTextMessage', await sockets.watch.send('ChatTextMessage', { ...chat, from }));
    for (const kind of ['WristwatchStartupNoticeMessage', 'ChatTextMessage']) {
      const answer = answers.get(kind);
      expect(answer).toMatchObject({ ok: true, id: expect.any(String) });
      const findMessage = () =>
        sockets.owner.messagesOfKind(kind).find(({ id }) => id === (answer as { id: string }).id);
      await sockets.owner.waitFor(() => findMessage() !== undefined, kind);
      const sender = { type: 'watch', id: String(ids.did) };
      expect(findMessage()).toMatchObject({ did: ids.did, cid: ids.cid, from: sender });
    }
    expect(foreignSockets.owner.messages.slice(before)).toEqual([]);
    expect(await positionOf(foreignIds.cid)).toEqual(position);
  });

  test('the acknowledgement of an unassigned sequence number is rejected', async () => {
    const answer = await sockets.owner.send('AckMessage', { seq: 1_000_000 });
    expect(answer).toMatchObject({ ok: false, reason: 'VALIDATION_FAILED' });
  });
});
