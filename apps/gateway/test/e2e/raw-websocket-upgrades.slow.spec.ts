import { beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { NodeUnderAttack, usedMemoryBytes } from '../support/node-under-attack.js';
import { OPCODE, RawSocket, upgradeRequest } from '../support/raw-socket.js';

const KIB = 1_024;
const EVENTS_PER_SECOND = 50;

const attack = new NodeUnderAttack({ RATE_LIMIT_EVENTS: EVENTS_PER_SECOND, HTTP_HEAD_TIMEOUT: 2 });
/** Milliseconds after which both WebSockets without authentication had ended; they are open during the other tests. */
let unauthenticatedDuration: Promise<number>;

beforeAll(() => {
  unauthenticatedDuration = stayUnauthenticated();
  // The test that awaits the promise reports a rejection.
  unauthenticatedDuration.catch(() => undefined);
});

/** Opens two WebSockets, one of which sends packets, and waits until the server has closed both. */
async function stayUnauthenticated(): Promise<number> {
  const startedAt = Date.now();
  const silent = await RawSocket.openWebSocket(attack.url);
  const busy = await RawSocket.openWebSocket(attack.url);
  const timer = setInterval(() => busy.sendText('3'), 500);
  try {
    // The clients do not respond to the close frame, so the server must end the TCP connections.
    for (const raw of [silent, busy]) await raw.waitFor(() => raw.isEnded, 'the end of the TCP connection');
  } finally {
    clearInterval(timer);
    for (const raw of [silent, busy]) raw.destroy();
  }
  return Date.now() - startedAt;
}

describe('A27, A32 slow and excessive clients', () => {
  test('closes a connection whose request headers do not arrive in time', async () => {
    const slow = [
      attack.closeAtEnd(await RawSocket.openTcp(attack.url)),
      attack.closeAtEnd(await RawSocket.openTcp(attack.url)),
    ];
    const bytes = [...upgradeRequest()];
    const timer = setInterval(() => slow[0]?.socket.write(bytes.shift() ?? ''), 500);
    try {
      // The second connection never sends anything.
      await Promise.all(slow.map((raw) => raw.waitForEnd()));
    } finally {
      clearInterval(timer);
    }
    expect(slow.map(({ responseHead }) => responseHead.split(' ')[1])).toEqual(['408', '408']);
  });

  test.each([
    ['pongs', '3'],
    ['acknowledgements without a request', '431[{}]'],
    ['events', '42["HeartbeatMessage",{}]'],
    ['events that request a response', '421["NoSuchMessage"]'],
  ])('closes a connection that sends a flood of %s', async (_, text) => {
    const raw = await attack.openAuthenticated();
    for (let round = 0; round < 40 && !raw.isEnded; round += 1) {
      for (let packet = 0; packet < EVENTS_PER_SECOND; packet += 1) raw.sendText(text);
      await sleep(5);
    }
    await raw.waitForEnd();
  });

  test('closes a connection whose client leaves the namespace, because no limit would count the connection', async () => {
    const raw = await attack.openAuthenticated();
    raw.sendText('41');
    await raw.waitForEnd();
  });

  test('serves other clients during a flood of WebSocket pings', async () => {
    const raw = await attack.openAuthenticated();
    for (let ping = 0; ping < 20_000; ping += 1) raw.sendFrame(OPCODE.PING, Buffer.from('x'));
    await attack.expectUnrelatedClientServed();
  });

  test('releases the memory of a thousand connections that send nothing or invalid packets', async () => {
    const { sessionCount } = attack;
    const before = usedMemoryBytes();
    for (let round = 0; round < 10; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 100 }, () => RawSocket.openWebSocket(attack.url)));
      for (const [index, raw] of sockets.entries()) raw.sendText(index % 2 ? '40{"token":"x"}' : '47');
      await attack.expectUnrelatedClientServed();
      for (const raw of sockets) raw.destroy();
    }
    await waitFor(() => {
      expect(attack.sessionCount).toBe(sessionCount);
      expect(usedMemoryBytes() - before).toBeLessThan(16 * KIB * KIB);
    });
  });
});

describe('A27 the WebSocket upgrade', () => {
  test.each([
    ['no transport', '/socket.io/?EIO=4', {}, /^HTTP\/1.1 400/],
    ['the transport __proto__', '/socket.io/?EIO=4&transport=__proto__', {}, /^HTTP\/1.1 400/],
    ['the id of a session that does not exist', '/socket.io/?EIO=4&transport=websocket&sid=x', {}, /^HTTP\/1.1 400/],
    ['WebSocket version 12', undefined, { 'Sec-WebSocket-Version': '12' }, /^HTTP\/1.1 4\d\d/],
    ['no Sec-WebSocket-Key', undefined, { 'Sec-WebSocket-Key': '' }, /^HTTP\/1.1 400/],
    ['an invalid Sec-WebSocket-Key', undefined, { 'Sec-WebSocket-Key': 'x' }, /^HTTP\/1.1 400/],
    ['an upgrade to another protocol', undefined, { Upgrade: 'h2c' }, /^HTTP\/1.1 426/],
    ['a control character in the origin', undefined, { Origin: 'null\u0001' }, /^HTTP\/1.1 400/],
    ['headers of 64 KiB', undefined, { 'X-Much': 'x'.repeat(64 * KIB) }, /^HTTP\/1.1 431/],
    ['a negative body length', undefined, { 'Content-Length': '-1' }, /^HTTP\/1.1 400/],
  ] as const)('is rejected with %s', async (_, path, headers, statusLine) => {
    const raw = attack.closeAtEnd(await RawSocket.openTcp(attack.url));
    raw.socket.write(upgradeRequest(headers, path));
    await raw.waitFor(() => raw.responseHead !== '' || raw.isEnded, 'the rejection');
    expect(raw.responseHead).toMatch(statusLine);
    expect(raw.responseHead).toMatch(/content-type: application\/json/i);
  });

  test('with Engine.IO protocol 3 is closed without a session', async () => {
    const raw = attack.closeAtEnd(await RawSocket.openTcp(attack.url));
    raw.socket.write(upgradeRequest({}, '/socket.io/?EIO=3&transport=websocket'));
    await raw.waitForEnd();
    expect(raw.texts.filter((text) => text.startsWith('0'))).toEqual([]);
  });

  test('on another path is not accepted', async () => {
    const raw = attack.closeAtEnd(await RawSocket.openTcp(attack.url));
    raw.socket.write(upgradeRequest({}, '/socket.iox/?EIO=4&transport=websocket'));
    await raw.waitFor(() => raw.responseHead !== '', 'the response');
    expect(raw.responseHead).toMatch(/^HTTP\/1.1 404/);
  });

  test.each(['https://evil.example', 'null', 'file://', "javascript:alert('x')"])(
    'is accepted from origin %s, because only the token grants access, and the response does not echo the origin',
    async (origin) => {
      const raw = attack.closeAtEnd(await RawSocket.openWebSocket(attack.url, { Origin: origin }));
      expect(raw.responseHead.toLowerCase()).not.toContain('access-control');
      expect(raw.responseHead).not.toContain(origin);
      raw.sendText('40{}');
      await raw.waitFor(() => raw.texts.some((text) => text.startsWith('44{')), 'the rejection');
      expect(raw.texts.at(-1)).toContain('TOKEN_MISSING');
    },
  );

  test('does not negotiate compression', async () => {
    const raw = attack.closeAtEnd(
      await RawSocket.openWebSocket(attack.url, { 'Sec-WebSocket-Extensions': 'permessage-deflate' }),
    );
    expect(raw.responseHead.toLowerCase()).not.toContain('sec-websocket-extensions');
  });
});

// This test is the last one, because the ten seconds pass during the other tests.
test('the gateway closes a WebSocket that is not authenticated within ten seconds', async () => {
  expect(await unauthenticatedDuration).toBeLessThan(25_000);
});
