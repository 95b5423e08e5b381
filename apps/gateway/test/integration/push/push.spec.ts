import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { PushContent } from '@family-watch/domain/messages/contracts/push';
import type { Environment } from '@family-watch/platform/config/environment';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { toMailboxEntries } from '../../../src/contexts/mailbox/mailbox-entry.js';
import { MailboxService } from '../../../src/contexts/mailbox/mailbox.service.js';
import { SubscriptionService } from '../../../src/contexts/message-center/subscription.service.js';
import { MAX_PUSH_TOKENS, PushTokenService } from '../../../src/contexts/push/push-token.service.js';
import { PushRequestRepository } from '../../../src/contexts/push/push-request.repository.js';
import { PushProviderRegistryService } from '../../../src/contexts/push/providers/push-provider-registry.service.js';
import { PresenceService } from '../../../src/contexts/presence/presence.service.js';
import type { GatewayNode } from '../../support/gateway-node.js';
import { anotherSession, GatewayTestEnvironment, nextVersion, user } from '../../support/gateway-test-environment.js';
import { FamilyFixture } from '../../support/family-fixture.js';
import { LocalPushService, PushSubscriber, verifyVapid } from '../../support/push-service.js';

const SETTINGS: Partial<Environment> = {
  SECRET_KEY: 'only for tests, only for tests, only',
  PUSH_ALLOW_INSECURE_ENDPOINTS: 'yes',
};
/** Longer than the grace and a round of the job. */
const LONG_ENOUGH_MS = 4_500;

let world: GatewayTestEnvironment;
let nodes: [GatewayNode, GatewayNode];
let service: LocalPushService;
let home: FamilyFixture;
let phone: PushSubscriber;

beforeAll(async () => {
  world = await GatewayTestEnvironment.start(SETTINGS);
  nodes = [await world.addNode(), await world.addNode()];
  service = await LocalPushService.start();
});
afterAll(async () => {
  await world.stop();
  await service.stop();
});
beforeEach(async () => {
  home = await FamilyFixture.in(world);
  phone = await phoneOf(home.guardian);
});

const tokens = () => nodes[0].app.get(PushTokenService, { strict: false });

async function phoneOf(principal: Principal): Promise<PushSubscriber> {
  const subscriber = new PushSubscriber(service.origin);
  await register(principal, subscriber);
  return subscriber;
}

function register(principal: Principal, { endpoint, keys }: PushSubscriber) {
  return tokens().create(principal, { service: 'WEB_PUSH', token: endpoint, keys });
}

function notesTo(subscriber: PushSubscriber): PushContent[] {
  return service.to(subscriber).map((push) => subscriber.open(push));
}

async function untilPushed(subscriber: PushSubscriber, count = 1): Promise<PushContent[]> {
  await waitUntil(
    () => `push ${count}, came ${service.to(subscriber).length}`,
    () => service.to(subscriber).length >= count,
  );
  return notesTo(subscriber);
}

/** Messages of two kinds, as their contexts put them into the mailbox. */
function say(text: string, to: Principal = home.guardian) {
  const { familyId } = home.family;
  const subject = { familyId, cid: home.cid, audience: 'CHAT', did: home.did } as const;
  const from = { type: 'watch', id: String(home.did) } as const;
  const payload = { clientMsgId: text, conversationId: 'c', text, conversationSeq: 1 };
  const source = randomUUID();
  const message = { ...subject, source, kind: 'ChatTextMessage', time: world.clock.now(), from, payload } as const;
  return nodes[0].app
    .get(MailboxService, { strict: false })
    .deliver({ entries: toMailboxEntries([`user:${to.id}`], message) });
}

function sos() {
  const { familyId } = home.family;
  const payload = { familyId, cid: home.cid, did: home.did, sosId: randomUUID(), time: world.clock.now() };
  return world.publish({ name: 'userctx.sos.raised', key: familyId, payload });
}

describe('who is notified', () => {
  test('somebody who is away, after a grace, once for all that is said meanwhile, and of no content', async () => {
    const began = Date.now();
    for (const text of ['one', 'two', 'three']) await say(text);
    expect(await untilPushed(phone)).toEqual([{ kind: 'ChatTextMessage', category: 'CHAT', cid: home.cid }]);
    expect(Date.now() - began).toBeGreaterThan(2_000);
    await sleep(1_500);
    expect(service.to(phone)).toHaveLength(1);
    await say('four');
    await untilPushed(phone, 2);
  });

  test('an SOS at once, signed with the key that subscriptions name', async () => {
    const began = Date.now();
    await sos();
    expect(await untilPushed(phone)).toEqual([
      { kind: 'MessageCenterChangeNoticeMessage', category: 'SOS', cid: home.cid },
    ]);
    expect(Date.now() - began).toBeLessThan(10_000);
    const [push] = service.to(phone);
    const key = nodes[1].app.get(PushProviderRegistryService, { strict: false }).webPushKey ?? '';
    if (!push) throw new Error('Nothing came');
    await verifyVapid(push, service.origin, key);
    expect(push.headers).toMatchObject({ urgency: 'high', topic: expect.stringMatching(/^[\w-]{32}$/) });
  });

  test('nobody whose device is connected, to whichever node', async () => {
    await world.connect(nodes[1], home.guardian);
    await say('seen at once');
    await sleep(LONG_ENOUGH_MS);
    expect(service.to(phone)).toEqual([]);
  });

  test('nobody whose device comes within the grace and takes it', async () => {
    const before = await world.connect(nodes[0], home.guardian);
    before.close();
    await sleep(300);
    await say('just missed');
    const client = await world.connect(nodes[0], home.guardian);
    await client.waitFor(() => client.durable.length > 0, 'the message');
    await client.send('AckMessage', { seq: client.durable.at(-1)?.seq });
    await sleep(LONG_ENOUGH_MS);
    expect(service.to(phone)).toEqual([]);
  });

  test('of an SOS also somebody whose connection is dead without anybody knowing', async () => {
    await world.connect(nodes[0], home.guardian);
    await sos();
    await untilPushed(phone);
  });

  test('nobody who has left the family before it was sent', async () => {
    await say('too late');
    const members = home.family.members.slice(0, 1);
    await world.familyChanged(nextVersion(home.family, { members }));
    await sleep(LONG_ENOUGH_MS);
    expect(service.to(phone)).toEqual([]);
  });

  test('each device of a person, and a phone that was signed out not at all', async () => {
    const other = anotherSession(home.guardian);
    const [second, signedOut] = [await phoneOf(other), new PushSubscriber(service.origin)];
    const third = anotherSession(home.guardian);
    await register(third, signedOut);
    const ended = { userId: home.guardian.id, sessionId: third.sessionId };
    await world.publish({ name: 'userctx.session.ended', key: `user:${home.guardian.id}`, payload: ended });
    await sos();
    await untilPushed(phone);
    await untilPushed(second);
    expect(service.to(signedOut)).toEqual([]);
  });
});

describe('a batch of chat', () => {
  test('asks the database nothing for people who are connected here, once for all others', async () => {
    const requests = jest.spyOn(nodes[0].app.get(PushRequestRepository, { strict: false }), 'add');
    const presence = jest.spyOn(nodes[0].app.get(PresenceService, { strict: false }), 'filterOnline');
    await world.connect(nodes[0], home.guardian);
    await Promise.all(Array.from({ length: 50 }, (_, index) => say(String(index))));
    expect([requests.mock.calls.length, presence.mock.calls.length]).toEqual([0, 0]);
    await Promise.all([say('to one', home.owner), say('to another', user())]);
    expect([requests.mock.calls.length, presence.mock.calls.length]).toEqual([1, 1]);
    requests.mockRestore();
    presence.mockRestore();
  });
});

describe('what is wanted', () => {
  const subscriptions = () => nodes[0].app.get(SubscriptionService, { strict: false });
  const allDay = { from: 0, to: 1_439, timeZone: 'UTC' };

  test('a category that is not to be pushed is not', async () => {
    await subscriptions().update(home.guardian.id, { categories: [{ category: 'CHAT', push: false }] });
    await say('quietly');
    await sleep(LONG_ENOUGH_MS);
    expect(service.to(phone)).toEqual([]);
  });

  test('quiet hours keep back what is not urgent, and nothing from a socket', async () => {
    // The one minute of the day that this range leaves out would be a coincidence.
    await subscriptions().update(home.guardian.id, { quietHours: allDay });
    await say('in the night');
    await sleep(LONG_ENOUGH_MS);
    expect(service.to(phone)).toEqual([]);
    await sos();
    expect((await untilPushed(phone)).map(({ category }) => category)).toEqual(['SOS']);
    const client = await world.connect(nodes[0], home.guardian, { last: 0 });
    for (const kind of ['ChatTextMessage', 'MessageCenterChangeNoticeMessage']) {
      await client.waitFor(() => client.ofKind(kind).length === 1, kind);
    }
  });
});

describe('push services that fail', () => {
  test('one that is busy is asked again; only who has not got it yet', async () => {
    const second = await phoneOf(anotherSession(home.guardian));
    service.answers.set(second.path, 503);
    await sos();
    await untilPushed(second);
    service.answers.delete(second.path);
    await untilPushed(second, 2);
    await sleep(1_000);
    expect(service.to(second)).toHaveLength(2);
    expect(service.to(phone)).toHaveLength(1);
  });

  test('a dead token is forgotten', async () => {
    service.answers.set(phone.path, 410);
    await sos();
    await untilPushed(phone);
    await sleep(500);
    await sos();
    await sleep(1_500);
    expect(service.to(phone)).toHaveLength(1);
  });

  test('a request of a node that died is taken up by another', async () => {
    await say('claimed by nobody who lives');
    const claimed = await nodes[0].unitOfWork.executor.query(
      'UPDATE gateway.push_request SET claimed_until = $2 WHERE user_id = $1 RETURNING 1',
      [home.guardian.id, world.clock.now() + 5_000],
    );
    expect(claimed).toHaveLength(1);
    await sleep(4_000);
    expect(service.to(phone)).toEqual([]);
    await untilPushed(phone);
  });
});

describe('tokens', () => {
  const countOf = async (userId: string) => {
    const rows = await nodes[0].unitOfWork.executor.query('SELECT FROM gateway.push_token WHERE user_id = $1', [
      userId,
    ]);
    return rows.length;
  };

  test('one per session and service, at most ten a person', async () => {
    const person = user();
    await Promise.all(Array.from({ length: 3 }, () => phoneOf(person)));
    expect(await countOf(person.id)).toBe(1);
    for (let index = 0; index < MAX_PUSH_TOKENS + 3; index += 1) await phoneOf(anotherSession(person));
    expect(await countOf(person.id)).toBe(MAX_PUSH_TOKENS);
  });

  test('a device that changes hands notifies its last owner no more', async () => {
    const next = user();
    await register(next, phone);
    await sos();
    await sleep(1_500);
    expect(service.to(phone)).toEqual([]);
    expect(await countOf(home.guardian.id)).toBe(0);
  });

  test('nobody deletes the token of another, and an id of nothing is refused alike', async () => {
    const { tokenId } = await register(home.guardian, phone);
    for (const id of [tokenId, randomUUID(), 'nonsense']) {
      await expect(tokens().delete(user(), id)).rejects.toMatchObject({ reason: 'PUSH_TOKEN_INVALID' });
    }
    await tokens().delete(home.guardian, tokenId);
    expect(await countOf(home.guardian.id)).toBe(0);
  });

  test('keys of a wrong form, and services that are not configured, are refused', async () => {
    const { endpoint, keys } = new PushSubscriber(service.origin);
    const point = Buffer.from(keys.p256dh, 'base64url');
    point.writeUInt8(point.readUInt8(64) ^ 1, 64);
    for (const wrong of [
      { service: 'WEB_PUSH', token: endpoint },
      { service: 'WEB_PUSH', token: endpoint, keys: { ...keys, auth: 'AAAA' } },
      { service: 'WEB_PUSH', token: endpoint, keys: { ...keys, p256dh: point.toString('base64url') } },
      { service: 'WEB_PUSH', token: 'ftp://example.org/x', keys },
      { service: 'FCM', token: 'x' },
    ] as const) {
      await expect(tokens().create(user(), wrong)).rejects.toMatchObject({ reason: 'PUSH_TOKEN_INVALID' });
    }
  });

  test('all nodes sign with one key, which stands in the database encrypted', async () => {
    const [first, second] = nodes.map(({ app }) => app.get(PushProviderRegistryService, { strict: false }).webPushKey);
    expect(first).toBe(second);
    const [row] = await nodes[0].unitOfWork.executor.query<{ sealed_private_key: Buffer }>(
      'SELECT sealed_private_key FROM gateway.push_key',
    );
    expect(row?.sealed_private_key.length).toBe(12 + 43 + 16);
  });
});
