import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { PushContent } from '@family-watch/domain/messages/contracts/subscription';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { toMailboxEntries } from '../../../src/mailbox/mailbox-entry.js';
import { MailboxService } from '../../../src/mailbox/mailbox.service.js';
import { SubscriptionService } from '../../../src/notifications/subscriptions/subscription.service.js';
import { MAX_PUSH_TOKENS, PushTokenService } from '../../../src/notifications/push/push-token.service.js';
import { ACKNOWLEDGEMENT_GRACE_MS } from '../../../src/notifications/push/push-scheduler.service.js';
import { PushRepository, type ClaimedPushRequest } from '../../../src/notifications/push/push.repository.js';
import { PushProviderRegistryService } from '../../../src/notifications/push/providers/push-provider-registry.service.js';
import { PresenceService } from '../../../src/connections/presence/presence.service.js';
import { anotherSession, user } from '../../support/gateway-test-environment.js';
import { type FamilyFixture, waitForKind } from '../../support/family-fixture.js';
import { LocalPushService, PUSH_SETTINGS, PushSubscriber, verifyVapid } from '../../support/local-push-service.js';
import { connect, createFamily } from '../../support/clients.js';
import { environment, node, otherNode, query, serviceOf, startGateway } from '../../support/suite-gateway.js';

const MINUTE_MS = 60_000;

startGateway(PUSH_SETTINGS);

let service: LocalPushService;
let fixture: FamilyFixture;
let phone: PushSubscriber;

beforeAll(async () => {
  environment.clock.stop();
  service = await LocalPushService.start();
});
afterAll(() => service.stop());
beforeEach(async () => {
  fixture = await createFamily();
  phone = await registerPhone(fixture.guardian);
});

const pushTokens = () => serviceOf(PushTokenService);

async function registerPhone(principal: Principal): Promise<PushSubscriber> {
  const subscriber = new PushSubscriber(service.origin);
  await register(principal, subscriber);
  return subscriber;
}

function register(principal: Principal, { endpoint, keys }: PushSubscriber) {
  return pushTokens().create(principal, { service: 'WEB_PUSH', token: endpoint, keys });
}

function pushContentsOf(subscriber: PushSubscriber): PushContent[] {
  return service.pushesTo(subscriber).map((push) => subscriber.decryptPush(push));
}

async function waitForPushes(subscriber: PushSubscriber, count = 1): Promise<PushContent[]> {
  await waitUntil(
    () => `push ${count}, received ${service.pushesTo(subscriber).length}`,
    () => service.pushesTo(subscriber).length >= count,
  );
  return pushContentsOf(subscriber);
}

function findRequests({ id }: Principal) {
  return query<{ due_at: number; attempts: number; claimed_until: number; delivered: string[] }>(
    'SELECT due_at, attempts, claimed_until, delivered FROM gateway.push_request WHERE user_id = $1',
    [id],
  );
}

/** Waits until all requests of the user are due and completed. */
async function completeRequests(principal: Principal = fixture.guardian): Promise<void> {
  environment.clock.forward(ACKNOWLEDGEMENT_GRACE_MS);
  await waitUntil('completion of the requests', async () => (await findRequests(principal)).length === 0);
}

/** Expects that the completed requests sent nothing to this subscriber. */
async function expectNoPush(subscriber: PushSubscriber): Promise<void> {
  await completeRequests();
  expect(service.pushesTo(subscriber)).toEqual([]);
}

async function waitForPresence(principal: Principal, isOnline: boolean): Promise<void> {
  const key = `user:${principal.id}` as const;
  await waitUntil('the presence of the user', async () => {
    const online = await serviceOf(PresenceService).filterOnline([key]);
    return online.has(key) === isOnline;
  });
}

/** Delivers a chat message as the conversations context does. */
function sendChat(text: string, to: Principal = fixture.guardian) {
  const { familyId } = fixture.family;
  const subject = { familyId, cid: fixture.cid, audience: 'CHAT', did: fixture.did } as const;
  const from = { type: 'watch', id: String(fixture.did) } as const;
  const payload = { clientMsgId: text, conversationId: 'c', text, conversationSeq: 1 };
  const source = randomUUID();
  const message = {
    ...subject,
    source,
    kind: 'ChatTextMessage',
    time: environment.clock.now(),
    from,
    payload,
  } as const;
  return serviceOf(MailboxService).deliver({ entries: toMailboxEntries([`user:${to.id}`], message) });
}

const raiseSos = () => fixture.publish('userctx.sos.raised', { sosId: randomUUID(), time: environment.clock.now() });

describe('the gateway', () => {
  test('sends an offline user one notification without content for several messages after the grace period', async () => {
    const sentAt = environment.clock.now();
    for (const text of ['one', 'two', 'three']) await sendChat(text);
    const requests = await findRequests(fixture.guardian);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.due_at).toBeGreaterThanOrEqual(sentAt + ACKNOWLEDGEMENT_GRACE_MS);
    await completeRequests();
    expect(pushContentsOf(phone)).toEqual([{ kind: 'ChatTextMessage', category: 'CHAT', cid: fixture.cid }]);
    await sendChat('four');
    await completeRequests();
    expect(service.pushesTo(phone)).toHaveLength(2);
  });

  test('pushes an SOS without delay, signed with the VAPID key of the subscription response', async () => {
    await raiseSos();
    // The clock is not moved, so the request is due without the grace period.
    expect(await waitForPushes(phone)).toEqual([
      { kind: 'MessageCenterChangeNoticeMessage', category: 'SOS', cid: fixture.cid },
    ]);
    const [push] = service.pushesTo(phone);
    const key = serviceOf(PushProviderRegistryService, otherNode).webPushKey ?? '';
    if (!push) throw new Error('No push was received');
    await verifyVapid(push, service.origin, key);
    expect(push.headers).toMatchObject({ urgency: 'high', topic: expect.stringMatching(/^[\w-]{32}$/) });
  });

  test('pushes nothing to a user with a device connected to any node', async () => {
    await connect(fixture.guardian, otherNode);
    await waitForPresence(fixture.guardian, true);
    await sendChat('seen immediately');
    await expectNoPush(phone);
  });

  test('pushes nothing when a device connects and acknowledges within the grace period', async () => {
    const previous = await connect(fixture.guardian);
    previous.close();
    await waitForPresence(fixture.guardian, false);
    await sendChat('just missed');
    expect(await findRequests(fixture.guardian)).toHaveLength(1);
    const client = await connect(fixture.guardian);
    await client.waitFor(() => client.durable.length > 0, 'the message');
    await client.send('AckMessage', { seq: client.durable.at(-1)?.seq });
    await expectNoPush(phone);
  });

  test('pushes an SOS to a user whose connected device does not acknowledge it', async () => {
    await connect(fixture.guardian);
    await raiseSos();
    environment.clock.forward(ACKNOWLEDGEMENT_GRACE_MS);
    await waitForPushes(phone);
  });

  test('pushes nothing to a member who left the family before the push was sent', async () => {
    await sendChat('too late');
    await fixture.removeGuardian();
    await expectNoPush(phone);
  });

  test('pushes to each device of a user, except a signed-out phone', async () => {
    const other = anotherSession(fixture.guardian);
    const [second, signedOut] = [await registerPhone(other), new PushSubscriber(service.origin)];
    const third = anotherSession(fixture.guardian);
    await register(third, signedOut);
    const ended = { userId: fixture.guardian.id, sessionId: third.sessionId };
    await environment.publish({ name: 'userctx.session.ended', key: `user:${ended.userId}`, payload: ended });
    await raiseSos();
    await waitForPushes(phone);
    await waitForPushes(second);
    expect(service.pushesTo(signedOut)).toEqual([]);
  });
});

describe('PushSchedulerService', () => {
  test('runs no query for users connected to its node, and one query per batch for all others', async () => {
    const requests = jest.spyOn(serviceOf(PushRepository), 'addRequests');
    const presence = jest.spyOn(serviceOf(PresenceService), 'filterOnline');
    await connect(fixture.guardian);
    await Promise.all(Array.from({ length: 50 }, (_, index) => sendChat(String(index))));
    expect([requests.mock.calls.length, presence.mock.calls.length]).toEqual([0, 0]);
    await Promise.all([sendChat('to one', fixture.owner), sendChat('to another', user())]);
    expect([requests.mock.calls.length, presence.mock.calls.length]).toEqual([1, 1]);
    requests.mockRestore();
    presence.mockRestore();
  });
});

describe('notification preferences', () => {
  const subscriptions = () => serviceOf(SubscriptionService);
  const allDay = { from: 0, to: 1_439, timeZone: 'UTC' };

  test('suppress pushes of a category that the user has disabled', async () => {
    await subscriptions().update(fixture.guardian.id, { categories: [{ category: 'CHAT', push: false }] });
    await sendChat('quietly');
    await expectNoPush(phone);
  });

  test('suppress pushes that are not urgent during quiet hours, but not messages over the socket', async () => {
    // These quiet hours omit one minute of the day, which is acceptable for this test.
    await subscriptions().update(fixture.guardian.id, { quietHours: allDay });
    await sendChat('in the night');
    await expectNoPush(phone);
    await raiseSos();
    expect((await waitForPushes(phone)).map(({ category }) => category)).toEqual(['SOS']);
    const client = await connect(fixture.guardian, node, { last: 0 });
    for (const kind of ['ChatTextMessage', 'MessageCenterChangeNoticeMessage']) await waitForKind(client, kind);
  });
});

describe('failing push services', () => {
  test('are called again after a busy response, but only for devices that have not received the push', async () => {
    const second = await registerPhone(anotherSession(fixture.guardian));
    service.statusByPath.set(second.path, 503);
    await raiseSos();
    await waitUntil('the schedule of the retry', async () => {
      const [request] = await findRequests(fixture.guardian);
      return request?.attempts === 1 && request.claimed_until === 0;
    });
    service.statusByPath.delete(second.path);
    await completeRequests();
    expect(service.pushesTo(second)).toHaveLength(2);
    expect(service.pushesTo(phone)).toHaveLength(1);
  });

  test('are called once if they reject the notification, and again for the next one', async () => {
    service.statusByPath.set(phone.path, 400);
    await raiseSos();
    await waitUntil('the end of the request', async () => (await findRequests(fixture.guardian)).length === 0);
    expect(service.pushesTo(phone)).toHaveLength(1);
    service.statusByPath.delete(phone.path);
    await raiseSos();
    await waitForPushes(phone, 2);
  });

  test('report an invalid token, which is then deleted', async () => {
    service.statusByPath.set(phone.path, 410);
    await raiseSos();
    await completeRequests();
    const second = await registerPhone(anotherSession(fixture.guardian));
    await raiseSos();
    await completeRequests();
    expect(service.pushesTo(second)).toHaveLength(1);
    expect(service.pushesTo(phone)).toHaveLength(1);
  });

  test('get the request that a crashed node had claimed after the claim of the node has expired', async () => {
    await sendChat('claimed by a crashed node');
    const claimed = await query('UPDATE gateway.push_request SET claimed_until = $2 WHERE user_id = $1 RETURNING 1', [
      fixture.guardian.id,
      environment.clock.now() + 5 * MINUTE_MS,
    ]);
    expect(claimed).toHaveLength(1);
    const other = await registerPhone(fixture.owner);
    await sendChat('due at the same time', fixture.owner);
    await completeRequests(fixture.owner);
    expect(service.pushesTo(other)).toHaveLength(1);
    expect(service.pushesTo(phone)).toEqual([]);
    environment.clock.forward(5 * MINUTE_MS);
    await waitForPushes(phone);
  });
});

describe('PushRepository', () => {
  /** Claims the guardian's request as a node whose clock is `now`; times are later than those of the running jobs. */
  async function claimRequest(now: number): Promise<ClaimedPushRequest> {
    const claimed = await serviceOf(PushRepository).claimRequests('other', {
      now,
      until: now + MINUTE_MS,
      limit: 1_000,
      exceptUserIds: [],
    });
    const [request] = claimed.filter(({ userId }) => userId === fixture.guardian.id);
    if (!request) throw new Error('The request was not claimed');
    return request;
  }

  test.each(['the same message', 'a newer message'])(
    'a node whose claim has expired changes nothing of a request for %s that another node has claimed',
    async (message) => {
      const requests = serviceOf(PushRepository);
      await sendChat('claimed twice');
      const now = environment.clock.now() + MINUTE_MS;
      const expired = await claimRequest(now);
      if (message === 'a newer message') await sendChat('newer');
      const current = await claimRequest(now + MINUTE_MS);
      const before = await findRequests(fixture.guardian);
      await requests.completeRequest(expired);
      await requests.rescheduleRequest({ ...expired, delivered: [randomUUID()] }, now);
      expect(await findRequests(fixture.guardian)).toEqual(before);
      await requests.completeRequest(current);
      expect(await findRequests(fixture.guardian)).toEqual([]);
    },
  );
});

describe('PushTokenService', () => {
  const countTokens = async (userId: string) => {
    const rows = await query('SELECT FROM gateway.push_token WHERE user_id = $1', [userId]);
    return rows.length;
  };

  test('stores one token per session and service, at most ten per user', async () => {
    const tokenOwner = user();
    await Promise.all(Array.from({ length: 3 }, () => registerPhone(tokenOwner)));
    expect(await countTokens(tokenOwner.id)).toBe(1);
    for (let index = 0; index < MAX_PUSH_TOKENS + 3; index += 1) await registerPhone(anotherSession(tokenOwner));
    expect(await countTokens(tokenOwner.id)).toBe(MAX_PUSH_TOKENS);
  });

  test('reassigns a token that another user registers', async () => {
    const nextUser = user();
    await register(nextUser, phone);
    const second = await registerPhone(anotherSession(fixture.guardian));
    await raiseSos();
    await waitForPushes(second);
    await expectNoPush(phone);
    expect(await countTokens(fixture.guardian.id)).toBe(1);
  });

  test('rejects deleting another user’s token and an unknown id with PUSH_TOKEN_INVALID', async () => {
    const { tokenId } = await register(fixture.guardian, phone);
    for (const id of [tokenId, randomUUID(), 'nonsense']) {
      await expect(pushTokens().delete(user(), id)).rejects.toMatchObject({ reason: 'PUSH_TOKEN_INVALID' });
    }
    await pushTokens().delete(fixture.guardian, tokenId);
    expect(await countTokens(fixture.guardian.id)).toBe(0);
  });

  test('rejects malformed keys and services that are not configured', async () => {
    const { endpoint, keys } = new PushSubscriber(service.origin);
    const point = Buffer.from(keys.p256dh, 'base64url');
    point.writeUInt8(point.readUInt8(64) ^ 1, 64);
    for (const invalid of [
      { service: 'WEB_PUSH', token: endpoint },
      { service: 'WEB_PUSH', token: endpoint, keys: { ...keys, auth: 'AAAA' } },
      { service: 'WEB_PUSH', token: endpoint, keys: { ...keys, p256dh: point.toString('base64url') } },
      { service: 'WEB_PUSH', token: 'ftp://example.org/x', keys },
    ] as const) {
      await expect(pushTokens().create(user(), invalid)).rejects.toMatchObject({ reason: 'PUSH_TOKEN_INVALID' });
    }
    const unsupported = pushTokens().create(user(), { service: 'FCM', token: 'x' });
    await expect(unsupported).rejects.toMatchObject({ reason: 'PUSH_SERVICE_UNSUPPORTED' });
  });

  test('accepts keys in base64 with padding', async () => {
    const subscriber = new PushSubscriber(service.origin);
    const { p256dh, auth } = subscriber.keys;
    const toBase64 = (text: string) => Buffer.from(text, 'base64url').toString('base64');
    const keys = { p256dh: toBase64(p256dh), auth: toBase64(auth) };
    expect(keys.auth).toMatch(/==$/);
    const { endpoint: token } = subscriber;
    await pushTokens().create(anotherSession(fixture.guardian), { service: 'WEB_PUSH', token, keys });
    await raiseSos();
    expect(await waitForPushes(subscriber)).toHaveLength(1);
  });

  test('uses one VAPID key on all nodes, stored encrypted', async () => {
    const [first, second] = [node, otherNode].map((each) => serviceOf(PushProviderRegistryService, each).webPushKey);
    expect(first).toBe(second);
    const [row] = await query<{ sealed_private_key: Buffer }>('SELECT sealed_private_key FROM gateway.push_key');
    // Bytes of the nonce, of the private key as base64url text, and of the authentication tag.
    expect(row?.sealed_private_key.length).toBe(12 + 43 + 16);
  });
});
