import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { EVENT_ROWS } from '../support/access/event-rows.js';
import type { RequestFields } from '../support/access/operation-row.js';
import { describeOneDeployment } from '../support/deployments.js';
import { forEachValue, HostileRequests, inEachObject, type ValueChange } from '../support/hostile-requests.js';
import { DELAYED_CHECK, TestService } from '../support/test-service.js';

const INHERITED_NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype', 'then'];
/** An object with a member for each inherited name except `__proto__`. */
const MEMBERS_WITH_INHERITED_NAMES = JSON.parse(
  JSON.stringify(
    Object.fromEntries(INHERITED_NAMES.filter((name) => name !== '__proto__').map((name) => [name, { x: 1 }])),
  ),
) as object;
/** Parsed from JSON, because an object literal with `__proto__` would set the prototype instead of a member. */
const PROTO_MEMBER = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as object;

/** Each hostile variant of a well-formed body or payload. */
const HOSTILE_VARIANTS: readonly (readonly [string, ValueChange])[] = [
  ['unknown members at every depth', (value) => inEachObject(value, MEMBERS_WITH_INHERITED_NAMES)],
  ['__proto__ at every depth', (value) => inEachObject(value, PROTO_MEMBER)],
  ['objects with these members as values', (value) => forEachValue(value, () => MEMBERS_WITH_INHERITED_NAMES)],
  ['the value "constructor"', (value) => forEachValue(value, () => 'constructor')],
  ['the value "__proto__"', (value) => forEachValue(value, () => '__proto__')],
];

/** Names that every JavaScript object inherits must be treated as data like any other name. */
describeOneDeployment('A33 names of Object.prototype in requests', 'standalone', (deployment) => {
  let service: TestService;
  let requests: HostileRequests;
  const sockets: Partial<Record<'user' | 'watch', TestClient>> = {};
  let loggedBefore: number;

  beforeAll(async () => {
    // The log of the standalone process is checked, so the suite needs its own process.
    service = await (deployment === 'standalone' ? TestService.start('standalone') : TestService.shared(deployment));
    requests = await HostileRequests.open(service);
    loggedBefore = deployment === 'standalone' ? service.logs.length : 0;
  });
  afterAll(async () => {
    requests.close();
    await service.stop();
  });

  /** Returns an open connection of the party; opens another one after an invalid token renewal has closed the first. */
  async function socketOf(party: 'user' | 'watch'): Promise<TestClient> {
    const open = sockets[party];
    if (open?.socket.connected) return open;
    const [{ owner, watch }] = requests.families;
    return (sockets[party] = await (party === 'watch' ? watch : owner).connect());
  }

  test.each(HOSTILE_VARIANTS)('no socket event fails with a server error: %s', async (_, change) => {
    const failures: string[] = [];
    for (const [event, row] of Object.entries(EVENT_ROWS)) {
      for (const party of row.senderKinds) {
        const payload = row.payload({ ...requests.unknownIds, messageId: 'unknown', token: 'unknown' });
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
    expect(await requests.findServerErrors((fields) => changeFields(fields, change))).toEqual([]);
  });

  if (deployment === 'standalone') {
    test('the requests of the other tests cause no warnings or errors in the log', () => {
      const lines = service.logs.slice(loggedBefore).filter((line) => line.startsWith('{'));
      const entries = lines.map((line) => JSON.parse(line) as { level: number; context?: string; msg: string });
      // Warnings of WebPushProvider are expected, because one request registers a push service that does not exist.
      const problems = entries.filter(
        ({ level, context, msg }) => level > 30 && context !== 'WebPushProvider' && msg !== DELAYED_CHECK,
      );
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
