import { describe, expect, jest, test } from '@jest/globals';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { Authenticator } from '@family-watch/platform/auth/authenticator';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { ClientEventDispatcherService } from '../../src/connections/client-event-dispatcher.service.js';
import { ConnectionRegistryService } from '../../src/connections/connection-registry.service.js';
import { anotherSession, familyOf, user, watch } from '../support/gateway-test-environment.js';
import { connect } from '../support/clients.js';
import { environment, node, query, serviceOf, startGateway } from '../support/suite-gateway.js';

startGateway({ HEARTBEAT_INTERVAL: 17, RATE_LIMIT_EVENTS: 20 }, 1);

describe('handshake', () => {
  test('sends hello to a user and a watch', async () => {
    const person = user();
    const client = await connect(person);
    expect(client.hello).toEqual({
      version: 2,
      principal: `user:${person.id}`,
      sessionId: person.sessionId,
      head: 0,
      epoch: expect.any(Number),
      heartbeatInterval: 17,
      serverTime: expect.any(Number),
      reconnect: { minDelay: 100, maxDelay: expect.any(Number) },
    });
    const watchClient = await connect(watch());
    expect(watchClient.hello?.principal).toMatch(/^watch:\d+$/);
  });

  test.each([
    ['no token', {}, 401001, 'TOKEN_MISSING'],
    ['an empty token', { token: '' }, 401001, 'TOKEN_MISSING'],
    ['a token that is no string', { token: { toString: 'x' } }, 401001, 'TOKEN_MISSING'],
    ['a random token', { token: 'x'.repeat(200) }, 401002, 'TOKEN_INVALID'],
    ['a token without an algorithm', { token: 'eyJhbGciOiJub25lIn0.e30.' }, 401002, 'TOKEN_INVALID'],
  ])('rejects %s', async (_, auth, code, reason) => {
    expect(await environment.openClient(node, auth).waitForRejection()).toEqual({ code, reason });
  });

  test('rejects expired tokens, revoked tokens, and tokens of operators', async () => {
    const revoked = user();
    const revokedToken = await environment.tokenOf(revoked);
    environment.revocations.revoke({ sessionId: revoked.sessionId }, environment.clock.now());
    const [expired, operator] = [
      await environment.tokenOf(user(), -5),
      await environment.tokenOf({ ...user(), type: 'operator' }),
    ];
    const reasons = await Promise.all(
      [expired, revokedToken, operator].map(
        async (token) => (await environment.openClient(node, { token }).waitForRejection()).reason,
      ),
    );
    expect(reasons).toEqual(['TOKEN_INVALID', 'TOKEN_REVOKED', 'TOKEN_INVALID']);
  });

  test.each([[-1], [1.5], ['7'], [2 ** 53], [Number.MAX_VALUE], [[1]], [{}], [true]])(
    'rejects %p as the last sequence number',
    async (last) => {
      const token = await environment.tokenOf(user());
      expect(await environment.openClient(node, { token, last }).waitForRejection()).toEqual({
        code: 400001,
        reason: 'VALIDATION_FAILED',
        details: [{ field: 'auth.last', rule: 'isInt', message: expect.any(String) }],
      });
    },
  );

  test('tells a client that begins with HTTP long polling what to set, and does not affect other HTTP routes', async () => {
    const polling = `${node.url}/socket.io/?EIO=4&transport=polling`;
    const response = await fetch(polling);
    expect([response.status, await response.json()]).toEqual([
      426,
      { code: 426001, reason: 'UPGRADE_REQUIRED', message: expect.stringContaining("transports: ['websocket']") },
    ]);
    const post = await fetch(polling, { method: 'POST', body: '40' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET']);
    expect((await fetch(`${node.url}/apis/v2/nothing`)).status).toBe(404);
  });
});

describe('client events', () => {
  test('are listed by the running application with their permitted senders', () => {
    const declared = serviceOf(ClientEventDispatcherService).list();
    const listed = declared.map(({ event, from, allowedWhileUnbound }) => ({
      event,
      from: [...from],
      allowedWhileUnbound,
    }));
    const both = ['user', 'watch'];
    expect(listed.toSorted((one, other) => one.event.localeCompare(other.event))).toEqual([
      { event: 'AckMessage', from: both, allowedWhileUnbound: true },
      ...['Emoji', 'Image', 'Text', 'Video', 'Voice'].map((kind) => ({
        event: `Chat${kind}Message`,
        from: both,
        allowedWhileUnbound: false,
      })),
      { event: 'HeartbeatMessage', from: both, allowedWhileUnbound: true },
      { event: 'LocationPointChangeMessage', from: ['watch'], allowedWhileUnbound: false },
      { event: 'token', from: both, allowedWhileUnbound: true },
      { event: 'WristwatchShutdownNoticeMessage', from: ['watch'], allowedWhileUnbound: false },
      { event: 'WristwatchStartupNoticeMessage', from: ['watch'], allowedWhileUnbound: false },
    ]);
  });

  test.each([
    ...['NoSuchMessage', 'hello', 'messages', 'disconnecting', 'constructor', '__proto__', 'toString'],
    ...['error', 'close', 'connection', 'packet'],
  ])('get the error ROUTE_NOT_FOUND when their name is %s, which is unknown', async (event) => {
    const client = await connect(user());
    const emit = client.socket.emit.bind(client.socket);
    // The client library already rejects event names that it reserves; the server must not rely on the client library.
    if (event === 'disconnecting') return expect(() => emit(event, {})).toThrow();
    expect(await client.send(event, {})).toMatchObject({ ok: false, code: 404001, reason: 'ROUTE_NOT_FOUND' });
  });

  test('get the same error for a kind that only the service sends as for an unknown kind', async () => {
    const client = await connect(user());
    const [notice, unknown] = await Promise.all([
      client.send('ContactsChangeNoticeMessage', {}),
      client.send('NoSuchMessage', {}),
    ]);
    expect(notice).toEqual(unknown);
  });

  test('are rejected when a user sends an event that only watches may send', async () => {
    const client = await connect(user());
    for (const event of ['LocationPointChangeMessage', 'WristwatchStartupNoticeMessage']) {
      expect(await client.send(event, { points: [], cause: 'USER' })).toMatchObject({ ok: false, reason: 'FORBIDDEN' });
    }
  });

  test('are limited to heartbeat and acknowledgement for an unbound watch', async () => {
    const client = await connect(watch());
    expect(await client.send('HeartbeatMessage', { battery: 50 })).toMatchObject({ ok: true });
    expect(await client.send('AckMessage', { seq: 0 })).toMatchObject({ ok: true });
    for (const [event, payload] of [
      ['LocationPointChangeMessage', { points: [{}] }],
      ['WristwatchStartupNoticeMessage', { cause: 'USER' }],
      ['WristwatchShutdownNoticeMessage', { cause: 'USER' }],
    ] as const) {
      expect(await client.send(event, payload)).toMatchObject({ ok: false, reason: 'WATCH_UNBOUND' });
    }
  });

  test.each([
    ['text', 'x'],
    ['a list', [1]],
    ['null', null],
    ['a number', 7],
    ['bytes', Buffer.from('x')],
  ])('are rejected when their payload is %s instead of an object', async (_, payload) => {
    const watchPrincipal = watch();
    await environment.publishFamily(familyOf(user(), [], watchPrincipal));
    const client = await connect(watchPrincipal);
    const response = await client.send('LocationPointChangeMessage', payload);
    expect(response).toMatchObject({ ok: false, reason: 'VALIDATION_FAILED' });
  });

  test('are rejected with the details of every violated rule', async () => {
    const client = await connect(user());
    const response = await client.send('AckMessage', { seq: -1, status: 'yes' });
    expect(response).toMatchObject({
      ok: false,
      code: 400001,
      reason: 'VALIDATION_FAILED',
      details: [
        { field: 'seq', rule: 'min', message: expect.any(String) },
        { field: 'status', rule: 'isIn', message: expect.any(String) },
      ],
    });
  });

  test('get an error response without internal details when their handler fails', async () => {
    const watchPrincipal = watch();
    await environment.publishFamily(familyOf(user(), [], watchPrincipal));
    const client = await connect(watchPrincipal);
    // The test gives the relay's lease to another holder, because the relay of this node would otherwise soon detect
    // that the outbox is not full and reset `outbox_full`.
    await query(`UPDATE gateway.relay SET outbox_full = true, holder = gen_random_uuid(), expires_at = 'infinity'`);
    const full = await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' });
    await query(`UPDATE gateway.relay SET outbox_full = false, holder = NULL, expires_at = '-infinity'`);
    expect(full).toMatchObject({ ok: false, code: 503004, reason: 'OVERLOADED' });
    expect(await client.send('WristwatchStartupNoticeMessage', { cause: 'USER' })).toMatchObject({ ok: true });
  });

  test('get no response when the client requests none', async () => {
    const client = await connect(user());
    client.socket.emit('NoSuchMessage');
    client.socket.emit('HeartbeatMessage');
    expect(await client.send('HeartbeatMessage', {})).toMatchObject({ ok: true, time: expect.any(Number) });
  });
});

describe('protection against abuse', () => {
  test('limits the number of connections of one principal', async () => {
    const person = user();
    await Promise.all(Array.from({ length: 64 }, () => connect(person)));
    const rejection = await environment
      .openClient(node, { token: await environment.tokenOf(person) })
      .waitForRejection();
    const details = [{ field: 'limit', rule: 'socket.connections', message: expect.any(String) }];
    expect(rejection).toEqual({ code: 429001, reason: 'RATE_LIMITED', details, retryAfter: 60 });
    expect((await connect(user())).hello).toBeDefined();
  });

  test('limits the number of connections of one principal whose handshakes are verified at the same time', async () => {
    const person = user();
    const auth = { token: await environment.tokenOf(person) };
    const authenticator = serviceOf(Authenticator);
    const verified = await authenticator.verify(auth.token);
    const allArrived = Promise.withResolvers<void>();
    const verify = jest.spyOn(authenticator, 'verify').mockImplementation(async () => {
      if (verify.mock.calls.length === 70) allArrived.resolve();
      await allArrived.promise;
      return verified;
    });
    const clients = Array.from({ length: 70 }, () => environment.openClient(node, auth));
    await waitUntil('the end of all handshakes', () =>
      clients.every(({ hello, rejection, disconnectReason }) => hello ?? rejection ?? disconnectReason),
    );
    verify.mockRestore();
    expect(clients.filter(({ socket }) => socket.connected)).toHaveLength(64);
    expect(serviceOf(ConnectionRegistryService).sessionsOf(principalKey(person))).toHaveLength(64);
  });

  test('rejects events above the limit with RATE_LIMITED, then closes the connection', async () => {
    const client = await connect(user());
    const send = (events: number) =>
      Promise.all(Array.from({ length: events }, () => client.send('HeartbeatMessage', {}).catch(() => undefined)));
    // The clock of the limit stops, so that a slow machine does not gain permitted events.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    expect((await send(100)).every((response) => response?.ok)).toBe(true);
    const rejected = (await send(60)).filter((response) => response && !response.ok);
    clock.mockRestore();
    expect(rejected.length).toBeGreaterThan(30);
    const details = [{ field: 'limit', rule: 'socket.events' }];
    expect(rejected[0]).toMatchObject({ code: 429001, reason: 'RATE_LIMITED', details, retryAfter: 1 });
    void send(120);
    expect(await client.waitForDisconnect()).toBe('io server disconnect');
  });

  test('closes the connection on a frame of more than 64 KiB, with the limit as the reason', async () => {
    const client = await connect(user());
    const closed = new Promise((resolve) => client.socket.once('disconnect', (_, details) => resolve(details)));
    client.socket.emit('HeartbeatMessage', { firmwareVersion: 'x'.repeat(65 * 1_024) });
    expect(await client.waitForDisconnect()).toBe('transport close');
    expect(await closed).toMatchObject({
      context: { code: 1009, reason: 'BODY_TOO_LARGE: a frame may have at most 65536 bytes' },
    });
  });
});

describe('sessions', () => {
  test("closes a revoked session's connection, but not the user's other session", async () => {
    const person = user();
    const other = anotherSession(person);
    const [revoked, remaining] = await Promise.all([connect(person), connect(other)]);
    environment.revocations.revoke({ sessionId: person.sessionId }, environment.clock.now());
    expect(await revoked.waitForDisconnect()).toBe('io server disconnect');
    expect(await remaining.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
    environment.revocations.revoke({ principal: `user:${person.id}` }, environment.clock.now() + 1);
    expect(await remaining.waitForDisconnect()).toBe('io server disconnect');
  });

  test('sends reconnect advice when a node shuts down, and lets the client library reconnect', async () => {
    const closingNode = await environment.addNode();
    const client = await connect(user(), closingNode);
    const advice = new Promise((resolve) => client.socket.on('reconnect', resolve));
    await closingNode.app.close();
    expect(await advice).toEqual({ minDelay: 100, maxDelay: 401 });
    expect(await client.waitForDisconnect()).not.toBe('io server disconnect');
  });

  test('accepts a refreshed token only for the session that the connection belongs to', async () => {
    const person = user();
    const client = await connect(person);
    const refreshed = await client.send('token', { token: await environment.tokenOf(person, 900) });
    expect(refreshed).toMatchObject({ ok: true, expiresAt: expect.any(Number) });
    for (const other of [user(), anotherSession(person), { ...watch(), id: person.id }]) {
      const response = await client.send('token', { token: await environment.tokenOf(other) });
      expect(response).toMatchObject({ reason: 'FORBIDDEN' });
    }
    expect(await client.send('token', { token: 'nonsense' })).toMatchObject({ reason: 'TOKEN_INVALID' });
    expect(await client.send('token', {})).toMatchObject({ reason: 'VALIDATION_FAILED' });
  });

  test('accepts a refreshed token of a watch, although it has a different session id', async () => {
    const watchPrincipal = watch();
    const client = await connect(watchPrincipal);
    const token = await environment.tokenOf(anotherSession(watchPrincipal), 900);
    expect(await client.send('token', { token })).toMatchObject({ ok: true });
  });
});
