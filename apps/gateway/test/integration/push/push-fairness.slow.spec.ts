import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { metricsRegistry } from '@family-watch/platform/observability/instruments';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { toMailboxEntries } from '../../../src/mailbox/mailbox-entry.js';
import { MailboxService } from '../../../src/mailbox/mailbox.service.js';
import { MAX_PUSH_TOKENS, PushTokenService } from '../../../src/notifications/push/push-token.service.js';
import { anotherSession } from '../../support/gateway-test-environment.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { LocalPushService, PUSH_SETTINGS, PushSubscriber } from '../../support/local-push-service.js';
import { createFamily } from '../../support/clients.js';
import { environment, node, query, serviceOf, startGateway } from '../../support/suite-gateway.js';

/** Milliseconds within which an SOS reaches the endpoint of a parent, whatever other accounts do. */
const SOS_PUSH_LIMIT_MS = 1_000;
/** Limit for the end of a request to a silent endpoint, which is three seconds. */
const ABANDONED_LIMIT_MS = 5_000;
const PENDING_PER_ACCOUNT = 60;
const MAX_PENDING = 50;
/** Persons without a response after which a host is paused, and failures after which an endpoint is paused. */
const [HOST_EVIDENCE, ENDPOINT_EVIDENCE] = [5, 3];
const ENDPOINT_PAUSE_MS = 30_000;

// An environment of its own: the suite needs settings, and real time passes.
startGateway(PUSH_SETTINGS, 1);
/** Push service that the honest browsers and the silent endpoints of attackers share. */
let service: LocalPushService;

beforeEach(async () => {
  service = await LocalPushService.start();
});
afterEach(async () => {
  await service.stop();
  await query('DELETE FROM gateway.push_request');
});

async function register(principal: Principal): Promise<PushSubscriber> {
  const subscriber = new PushSubscriber(service.origin);
  const request = { service: 'WEB_PUSH', token: subscriber.endpoint, keys: subscriber.keys } as const;
  await serviceOf(PushTokenService).create(principal, request);
  return subscriber;
}

/** Delivers a notice of the message centre, which is pushed immediately and on its own. */
async function notify({ family, cid, did, guardian }: FamilyFixture, severity: 'INFO' | 'URGENT'): Promise<void> {
  const message = {
    familyId: family.familyId,
    cid,
    did,
    audience: 'CHAT',
    source: randomUUID(),
    kind: 'MessageCenterChangeNoticeMessage',
    time: environment.clock.now(),
    from: { type: 'system', id: '' },
    payload: { category: severity === 'URGENT' ? 'SOS' : 'FENCE', severity, messageId: randomUUID(), unread: 1 },
  } as const;
  await serviceOf(MailboxService).deliver({ entries: toMailboxEntries([`user:${guardian.id}`], message) });
}

/** Creates an account with as many endpoints as an account may have, all of which accept requests and never answer. */
async function createSilentAccount(): Promise<{ fixture: FamilyFixture; endpoints: PushSubscriber[] }> {
  const fixture = await createFamily();
  const endpoints: PushSubscriber[] = [];
  for (let index = 0; index < MAX_PUSH_TOKENS; index += 1) {
    const endpoint = await register(anotherSession(fixture.guardian));
    service.silentPaths.add(endpoint.path);
    endpoints.push(endpoint);
  }
  return { fixture, endpoints };
}

async function createAccount(): Promise<{ fixture: FamilyFixture; endpoint: PushSubscriber }> {
  const fixture = await createFamily();
  return { fixture, endpoint: await register(fixture.guardian) };
}

/** Log lines about pauses, at level info and above, of which the endpoint or host has this text. */
function pauseLines(scope: 'endpoint' | 'host', text: string): string[] {
  const lines = node.logs.map((line) => JSON.parse(line) as { level: number; msg: string; scope?: string });
  const pauses = lines.filter((line) => line.level >= 30 && line.scope === scope);
  return pauses.filter((line) => JSON.stringify(line).includes(text)).map(({ msg }) => msg);
}

function findRequests({ guardian }: FamilyFixture) {
  return query<{ urgent: boolean; due_at: number; attempts: number; collapse_key: string }>(
    'SELECT urgent, due_at, attempts, collapse_key FROM gateway.push_request WHERE user_id = $1 ORDER BY head',
    [guardian.id],
  );
}

async function droppedCount(): Promise<number> {
  const metric = await metricsRegistry.getSingleMetric('family_watch_push_requests_dropped_total')?.get();
  return metric?.values[0]?.value ?? 0;
}

function countAttempts(endpoints: readonly PushSubscriber[]): number {
  return endpoints.reduce((sum, endpoint) => sum + service.pushesTo(endpoint).length, 0);
}

test.each([
  ['one account', 1],
  ['eight accounts', 8],
] as const)(
  'A38 an SOS push reaches its endpoint within a second while %s with ten silent endpoints each have many pending notifications',
  async (_title, count) => {
    const accounts = await Promise.all(Array.from({ length: count }, createSilentAccount));
    const family = await createFamily();
    const phone = await register(family.guardian);
    await Promise.all(
      accounts.flatMap(({ fixture }) => Array.from({ length: PENDING_PER_ACCOUNT }, () => notify(fixture, 'INFO'))),
    );
    await Promise.all(accounts.map(({ fixture }) => notify(fixture, 'URGENT')));
    for (const { endpoints } of accounts)
      await waitUntil('an attempt at a silent endpoint', () => countAttempts(endpoints) > 0);
    await notify(family, 'URGENT');
    await waitUntil('the push', () => service.pushesTo(phone).length > 0, SOS_PUSH_LIMIT_MS);
    expect(service.pushesTo(phone)).toHaveLength(1);
  },
);

test('A38 a request to an endpoint that never answers is given up after three seconds', async () => {
  const { fixture, endpoint } = await createAccount();
  service.silentPaths.add(endpoint.path);
  await notify(fixture, 'INFO');
  await waitUntil('the request', () => service.pushesTo(endpoint).length > 0);
  const isAbandoned = () => service.abandonedPaths.includes(endpoint.path);
  await waitUntil('the end of the request', isAbandoned, ABANDONED_LIMIT_MS);
});

describe('while time stands still', () => {
  beforeAll(() => environment.clock.stop());

  test('A38 an endpoint that fails repeatedly gets few attempts and log lines, and the first attempt of an SOS', async () => {
    const { fixture, endpoint } = await createAccount();
    const [token] = await query<{ token_id: string }>('SELECT token_id FROM gateway.push_token WHERE user_id = $1', [
      fixture.guardian.id,
    ]);
    service.statusByPath.set(endpoint.path, 503);
    for (let index = 0; index < MAX_PENDING; index += 1) await notify(fixture, 'INFO');
    const now = environment.clock.now();
    const arePaused = async () => (await findRequests(fixture)).every(({ due_at: dueAt }) => dueAt > now);
    await waitUntil('the pause of all requests', arePaused);
    expect(service.pushesTo(endpoint)).toHaveLength(ENDPOINT_EVIDENCE);
    await notify(fixture, 'URGENT');
    await waitUntil('the SOS', () => service.pushesTo(endpoint).length > ENDPOINT_EVIDENCE);
    await waitUntil('the pause of the SOS', arePaused);
    expect(pauseLines('endpoint', token?.token_id ?? '-')).toEqual(['Push paused after failures']);
    service.statusByPath.delete(endpoint.path);
    environment.clock.forward(4 * ENDPOINT_PAUSE_MS);
    await waitUntil('the delivery of all requests', async () => {
      // Requests that were claimed during the first attempt after the pause are due again a little later.
      environment.clock.forward(1_000);
      return (await findRequests(fixture)).length === 0;
    });
    expect(pauseLines('endpoint', token?.token_id ?? '-')).toEqual([
      'Push paused after failures',
      'Push continues after failures',
    ]);
  });

  test('A38 a host is paused when it responds to none of several persons, but neither for one person nor for an SOS', async () => {
    const { host } = new URL(service.origin);
    const honest = await createAccount();
    const attackers = await Promise.all(Array.from({ length: HOST_EVIDENCE }, () => createAccount()));
    for (const { endpoint } of attackers) service.closedPaths.add(endpoint.path);
    const [first, ...others] = attackers;
    if (!first) throw new Error('There is no attacker');
    for (let index = 0; index <= HOST_EVIDENCE; index += 1) await notify(first.fixture, 'INFO');
    await waitUntil('the pause of the endpoint', () => service.pushesTo(first.endpoint).length >= ENDPOINT_EVIDENCE);
    await notify(honest.fixture, 'INFO');
    await waitUntil('the push of another person', () => service.pushesTo(honest.endpoint).length === 1);
    expect(pauseLines('host', host)).toEqual([]);
    environment.clock.forward(4 * ENDPOINT_PAUSE_MS);
    for (const { fixture } of [first, ...others]) await notify(fixture, 'INFO');
    await waitUntil('the pause of the host', () => pauseLines('host', host).length > 0);
    await notify(honest.fixture, 'URGENT');
    await waitUntil('the SOS', () => service.pushesTo(honest.endpoint).length === 2);
    await waitUntil('the end of the pause', () => pauseLines('host', host).length > 1);
    expect(pauseLines('host', host)).toEqual(['Push paused after failures', 'Push continues after failures']);
  });

  test('A38 a person has at most 50 pending notifications: the oldest are dropped, an SOS last, and counted', async () => {
    const { fixture, endpoint } = await createAccount();
    service.statusByPath.set(endpoint.path, 503);
    const before = await droppedCount();
    await notify(fixture, 'URGENT');
    const [sos] = await findRequests(fixture);
    for (let index = 0; index < MAX_PENDING + 10; index += 1) await notify(fixture, 'INFO');
    const requests = await findRequests(fixture);
    expect(requests).toHaveLength(MAX_PENDING);
    expect(requests[0]).toMatchObject({ urgent: true, collapse_key: sos?.collapse_key });
    expect((await droppedCount()) - before).toBe(11);
  });

  test('A38 a notification is sent before the others of a person with 10,000 due notifications', async () => {
    const flooding = await createAccount();
    const honest = await createAccount();
    service.statusByPath.set(flooding.endpoint.path, 503);
    const { family, cid, guardian } = flooding.fixture;
    const subject = JSON.stringify({ familyId: family.familyId, cid, audience: 'CHAT' });
    const now = environment.clock.now();
    await query(
      `INSERT INTO gateway.push_request (user_id, collapse_key, head, kind, category, urgent, subject, due_at, expires_at)
     SELECT $1, 'alert:' || number, number, 'MessageCenterChangeNoticeMessage', 'FENCE', false, $2, $3::bigint - number,
       $3::bigint + 3600000
     FROM generate_series(1, 10000) AS number`,
      [guardian.id, subject, now],
    );
    await notify(honest.fixture, 'INFO');
    await waitUntil('the push', () => service.pushesTo(honest.endpoint).length === 1);
    const untouched = (await findRequests(flooding.fixture)).filter(({ attempts }) => attempts === 0);
    expect(untouched.length).toBeGreaterThan(5_000);
  });
});
