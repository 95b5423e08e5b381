import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { ROWS } from '../support/access/access-matrix.js';
import { pathsOf, callOperation } from '../support/access/caller.js';
import { EVENT_ROWS } from '../support/access/event-rows.js';
import { OPERATOR_ROWS } from '../support/access/operator-rows.js';
import { createUnknownIds } from '../support/access/ids.js';
import type { RequestFields } from '../support/access/operation-row.js';
import { declaredOperations } from '../support/declared-operations.js';
import { describeBothDeployments } from '../support/deployments.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { HttpClient } from '../support/http-client.js';
import { Operator } from '../support/operator.js';
import { TestService } from '../support/test-service.js';

const INHERITED_NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then'];
/** An object with a member for each inherited name except `__proto__`. */
const MEMBERS_WITH_INHERITED_NAMES = JSON.parse(
  JSON.stringify(
    Object.fromEntries(INHERITED_NAMES.filter((name) => name !== '__proto__').map((name) => [name, { x: 1 }])),
  ),
) as object;
/** Parsed from JSON, because an object literal with `__proto__` would set the prototype instead of a member. */
const PROTO_MEMBER = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as object;

/** Low, because with more concurrent requests some would wait too long for a database connection and get 503. */
const CONCURRENT_REQUESTS = 8;

const UNKNOWN_IDS = createUnknownIds();

/**
 * A sign-out would end the session that the other requests use, a wrong password has the status of an ended session,
 * and on a busy machine the readiness check may fail.
 */
const EXCLUDED_OPERATIONS = ['signOut', 'signOutOperator', 'replaceOperatorCredentials', 'getReadiness'];

type ValueChange = (value: unknown) => unknown;

/** Each hostile variant of a well-formed body or payload. */
const HOSTILE_VARIANTS: readonly (readonly [string, ValueChange])[] = [
  ['unknown members at every depth', (value) => inEachObject(value, MEMBERS_WITH_INHERITED_NAMES)],
  ['__proto__ at every depth', (value) => inEachObject(value, PROTO_MEMBER)],
  ['objects with these members as values', (value) => forEachValue(value, () => MEMBERS_WITH_INHERITED_NAMES)],
  ['the value "constructor"', (value) => forEachValue(value, () => 'constructor')],
  ['the value "__proto__"', (value) => forEachValue(value, () => '__proto__')],
];

/** Names that every JavaScript object inherits must be treated as data like any other name. */
describeBothDeployments('names of Object.prototype in requests', (deployment) => {
  let service: TestService;
  let families: [FamilyFixture, FamilyFixture];
  let anonymous: HttpClient;
  let operator: Operator;
  const sockets: Partial<Record<'user' | 'watch', TestClient>> = {};
  let loggedBefore: number;

  beforeAll(async () => {
    // The log of the standalone process is checked, so the suite needs its own process.
    service = await (deployment === 'standalone' ? TestService.start('standalone') : TestService.shared(deployment));
    families = await Promise.all([FamilyFixture.create(service), FamilyFixture.create(service)]);
    anonymous = new HttpClient(service.url);
    operator = await Operator.create(service, ['ADMIN']);
    loggedBefore = deployment === 'standalone' ? service.logs.length : 0;
  });
  afterAll(async () => {
    for (const family of families) family.disconnectAll();
    await service.stop();
  });

  /** Returns an open connection of the party; opens another one after an invalid token renewal has closed the first. */
  async function socketOf(party: 'user' | 'watch'): Promise<TestClient> {
    const open = sockets[party];
    if (open?.socket.connected) return open;
    const [{ owner, watch }] = families;
    return (sockets[party] = await (party === 'watch' ? watch : owner).connect());
  }

  test.each(HOSTILE_VARIANTS)('no socket event fails with a server error: %s', async (_, change) => {
    const failures: string[] = [];
    for (const [event, row] of Object.entries(EVENT_ROWS)) {
      for (const party of row.senderKinds) {
        const payload = row.payload({ ...UNKNOWN_IDS, messageId: 'unknown', token: 'unknown' });
        const socket = await socketOf(party);
        const closed = new Promise<undefined>((resolve) => socket.socket.once('disconnect', () => resolve(undefined)));
        const answer = await Promise.race([socket.send(event, change(payload)), closed]);
        if (answer?.ok === false && answer.code >= 500_000) failures.push(`${event}: ${answer.reason}`);
      }
    }
    expect(failures).toEqual([]);
  });

  test.each(INHERITED_NAMES)(
    'an event named %s gets a response or is ignored, and the connection stays open',
    async (name) => {
      for (const party of ['user', 'watch'] as const) {
        const socket = await socketOf(party);
        socket.socket.send(name);
        socket.socket.emit(name, MEMBERS_WITH_INHERITED_NAMES);
        expect(await socket.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
      }
    },
  );

  test.each(HOSTILE_VARIANTS)('no operation fails with a server error: %s', async (_, change) => {
    const users = families.flatMap(({ owner, guardian }) => [owner, guardian]);
    const routes = (await declaredOperations()).filter(({ id }) => !EXCLUDED_OPERATIONS.includes(id));
    const failures: string[] = [];
    const callers = Array.from({ length: CONCURRENT_REQUESTS }, async (_, caller) => {
      for (const [index, route] of routes.entries()) {
        if (index % CONCURRENT_REQUESTS !== caller) continue;
        const row = ROWS[route.id];
        const operatorRow = OPERATOR_ROWS[route.id];
        const isPublic = row?.callerKinds === 'public';
        const request = operatorRow?.request ?? (row?.callerKinds === 'public' ? row.cases[0]?.request : row?.request);
        const user = users[index % users.length];
        const familyClient = isPublic ? anonymous : row?.callerKinds.includes('user') ? user : families[0].watch;
        const client = operatorRow ? operator : familyClient;
        const [path] = pathsOf(route);
        if (!client || !request || !path) throw new Error(`Operation ${route.id} has no request`);
        const { status, text } = await callOperation(client, route, path, changeFields(request(UNKNOWN_IDS), change));
        const isUntested = !isPublic && [401, 429].includes(status);
        if (status >= 500 || isUntested) failures.push(`${route.id}: ${status} ${text}`);
      }
    });
    await Promise.all(callers);
    expect(failures).toEqual([]);
  });

  if (deployment === 'standalone') {
    test('the requests of the other tests cause no warnings or errors in the log', () => {
      const lines = service.logs.slice(loggedBefore).filter((line) => line.startsWith('{'));
      const entries = lines.map((line) => JSON.parse(line) as { level: number; context?: string });
      // Warnings of WebPushProvider are expected, because one request registers a push service that does not exist.
      const problems = entries.filter(({ level, context }) => level > 30 && context !== 'WebPushProvider');
      expect(problems).toEqual([]);
    });
  }
});

function changeFields({ path, query, body }: RequestFields, change: ValueChange): RequestFields {
  return {
    ...(path
      ? { path: forEachValue(path, (value) => (change(value) === value ? value : 'constructor')) as never }
      : {}),
    query: {
      ...query,
      ...Object.fromEntries(INHERITED_NAMES.map((name) => [name, 'x'])),
      'constructor[prototype]': 'x',
    },
    ...(body ? { body: change(body) as object } : {}),
  };
}

/** Returns a copy with `members` added to each object, at every depth. */
function inEachObject(value: unknown, members: object): unknown {
  if (Array.isArray(value)) return value.map((item) => inEachObject(item, members));
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inEachObject(item, members)]));
  for (const [name, member] of Object.entries(members))
    Object.defineProperty(copy, name, { value: member, enumerable: true });
  return copy;
}

/** Returns a copy in which each value that is neither an object nor a list is replaced. */
function forEachValue(value: unknown, replace: ValueChange): unknown {
  if (Array.isArray(value)) return value.map((item) => forEachValue(item, replace));
  if (typeof value !== 'object' || value === null) return replace(value);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, forEachValue(item, replace)]));
}
