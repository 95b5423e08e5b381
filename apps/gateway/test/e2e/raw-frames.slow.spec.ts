import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionRegistryService } from '../../src/connections/connection-registry.service.js';
import { NodeUnderAttack, expectResponsive, usedMemoryBytes } from '../support/node-under-attack.js';
import { user } from '../support/gateway-test-environment.js';
import { OPCODE, type RawSocket } from '../support/raw-socket.js';
import { environment, serviceOf } from '../support/suite-gateway.js';

const KIB = 1_024;

const attack = new NodeUnderAttack({ RATE_LIMIT_EVENTS: 50 });

describe('invalid packets', () => {
  test.each([
    ['an unknown Engine.IO packet type', '9'],
    ['an Engine.IO packet type that is a letter', 'x'],
    ['an empty frame', ''],
    ['a ping, which only the server may send', '2'],
    ['an unknown Socket.IO packet type', '47'],
    ['no Socket.IO packet type', '4'],
    ['a connect error', '44{"message":"x"}'],
    ['an event with broken JSON', '42["HeartbeatMessage",'],
    ['an event without a list', '42{"a":1}'],
    ['an event of an empty list', '42[]'],
    ['an event with a name that is an object', '42[{"a":1}]'],
    ['an event with a reserved name', '42["disconnecting"]'],
    ['a negative acknowledgement id', '42-5["HeartbeatMessage",{}]'],
    ['an event in a namespace that was not joined', '42/elsewhere,["HeartbeatMessage",{}]'],
    ['a second connect packet', '40{"token":"x"}'],
    ['an event with ten attachments, which the packet filter rejects', '4510-["LocationPointChangeMessage",{}]'],
  ])('%s closes the connection', async (_, text) => {
    const raw = await attack.openAuthenticated();
    raw.sendText(text);
    await raw.waitForEnd();
  });

  test.each([
    ['an event', '42["HeartbeatMessage",{}]'],
    ['an event that requests a response', '421["HeartbeatMessage",{}]'],
    ['an acknowledgement', '431[{}]'],
    ['a disconnect', '41'],
    ['an event with an attachment', '451-["HeartbeatMessage",{"_placeholder":true,"num":0}]'],
  ])(
    '%s before the connect packet gets no response and closes the connection, at the latest after the timeout',
    async (_, text) => {
      const raw = await attack.openWebSocket();
      raw.sendText(text);
      if (text.startsWith('45')) raw.sendFrame(OPCODE.BINARY, Buffer.from('x'));
      await raw.waitForEnd();
      expect(raw.texts.filter((text) => text.startsWith('43'))).toEqual([]);
    },
  );

  test('creates at most one session for two concurrent connect packets', async () => {
    const person = user();
    const token = await environment.tokenOf(person);
    const raw = await attack.openWebSocket();
    raw.sendText(`40${JSON.stringify({ token })}`);
    raw.sendText(`40${JSON.stringify({ token })}`);
    await raw.waitForEnd();
    await sleep(100);
    const sessions = serviceOf(ConnectionRegistryService).sessionsOf(`user:${person.id}`);
    expect(sessions).toHaveLength(0);
  });

  test('rejects an unknown namespace and accepts nothing more from the connection', async () => {
    const raw = await attack.openWebSocket();
    raw.sendText('40/admin,{"token":"x"}');
    await raw.waitFor(() => raw.texts.includes('44/admin,{"message":"Invalid namespace"}'), 'the rejection');
    raw.sendText(`40${JSON.stringify({ token: await environment.tokenOf(user()) })}`);
    await raw.waitForEnd();
    expect(raw.texts.some((text) => text.includes('hello'))).toBe(false);
  });

  test('a numeric event name, extra arguments and unrequested acknowledgements leave the connection open', async () => {
    const raw = await attack.openAuthenticated();
    raw.sendText('421[7,{}]');
    raw.sendText('422["HeartbeatMessage",{},{},"x",null]');
    raw.sendText('4399999[{"ok":true}]');
    raw.sendText(`43${'9'.repeat(400)}[1]`);
    await raw.waitFor(() => raw.texts.some((text) => text.startsWith('432[{"ok":true')), 'the response');
    expect(raw.texts.find((text) => text.startsWith('431['))).toContain('ROUTE_NOT_FOUND');
    await expectResponsive(raw);
  });

  test('an event with a huge acknowledgement id does not close the connection', async () => {
    const raw = await attack.openAuthenticated();
    raw.sendText(`42${'9'.repeat(60 * KIB)}["HeartbeatMessage",{}]`);
    await sleep(100);
    await expectResponsive(raw);
  });
});

describe('binary attachments', () => {
  test.each([
    ['a placeholder with an index out of range', { _placeholder: true, num: 5 }],
    ['a placeholder with a negative index', { _placeholder: true, num: -1 }],
    ['a placeholder with an index that is text', { _placeholder: true, num: '0' }],
    ['a placeholder with the index __proto__', { _placeholder: true, num: '__proto__' }],
  ])('%s closes the connection', async (_, placeholder) => {
    const raw = await attack.openAuthenticated();
    raw.sendText(`451-1["HeartbeatMessage",${JSON.stringify(placeholder)}]`);
    raw.sendFrame(OPCODE.BINARY, Buffer.from('x'));
    await raw.waitForEnd();
  });

  test('rejects a payload with nested placeholders or the same placeholder a hundred times', async () => {
    const raw = await attack.openAuthenticated();
    const nested = { _placeholder: { _placeholder: true, num: 0 }, num: 0, seq: { _placeholder: true, num: 0 } };
    const many = Array.from({ length: 100 }, () => ({ _placeholder: true, num: 0 }));
    for (const [id, payload] of [nested, { seq: many }].entries()) {
      raw.sendText(`451-${id + 1}["AckMessage",${JSON.stringify(payload)}]`);
      raw.sendFrame(OPCODE.BINARY, Buffer.alloc(16));
      await raw.waitFor(() => raw.texts.some((text) => text.startsWith(`43${id + 1}[{"ok":false`)), 'the rejection');
    }
    await expectResponsive(raw);
  });

  test('closes the connection on a binary attachment without an event', async () => {
    const raw = await attack.openAuthenticated();
    raw.sendFrame(OPCODE.BINARY, Buffer.alloc(KIB));
    await raw.waitForEnd();
  });

  test('closes the connection on text in place of a binary attachment', async () => {
    const raw = await attack.openAuthenticated();
    raw.sendText('451-1["HeartbeatMessage",{"_placeholder":true,"num":0}]');
    raw.sendText('42["HeartbeatMessage",{}]');
    await raw.waitForEnd();
  });

  test('uses little memory for incomplete events and closes the connection if their text is long', async () => {
    const before = usedMemoryBytes();
    const many = await Promise.all(Array.from({ length: 100 }, () => attack.openWebSocket()));
    const filler = 'x'.repeat(4_000);
    for (const raw of many) raw.sendText(`451-1["HeartbeatMessage",{"_placeholder":true,"num":0},"${filler}"]`);
    await attack.expectUnrelatedClientServed();
    // The measured memory includes both ends of the sockets, because both are in this process.
    expect(usedMemoryBytes() - before).toBeLessThan(many.length * 64 * KIB);
    const raw = await attack.openAuthenticated();
    raw.sendText(`451-1["HeartbeatMessage",{"_placeholder":true,"num":0},"${'x'.repeat(8 * KIB)}"]`);
    await raw.waitForEnd();
  });
});

describe('frames', () => {
  test.each([
    ['an oversize frame', 1009, (raw: RawSocket) => raw.sendText(`42["HeartbeatMessage","${'x'.repeat(65 * KIB)}"]`)],
    [
      'a frame that claims four gigabytes',
      1009,
      (raw: RawSocket) => raw.sendFrame(OPCODE.TEXT, Buffer.from('x'), { claimedLength: 2 ** 32 }),
    ],
    ['invalid UTF-8', 1007, (raw: RawSocket) => raw.sendFrame(OPCODE.TEXT, Buffer.from([0x34, 0x32, 0xc3, 0x28]))],
    [
      'a compressed frame',
      1002,
      (raw: RawSocket) => raw.sendFrame(OPCODE.TEXT, Buffer.alloc(9), { reservedBits: 0x40 }),
    ],
    ['an unmasked frame', 1002, (raw: RawSocket) => raw.sendFrame(OPCODE.TEXT, Buffer.from('41'), { masked: false })],
    ['an unknown opcode', 1002, (raw: RawSocket) => raw.sendFrame(3, Buffer.from('x'))],
    [
      'a continuation without a first frame',
      1002,
      (raw: RawSocket) => raw.sendFrame(OPCODE.CONTINUATION, Buffer.from('x')),
    ],
    ['a fragmented ping', 1002, (raw: RawSocket) => raw.sendFrame(OPCODE.PING, Buffer.from('x'), { fin: false })],
    ['a ping of 126 bytes', 1002, (raw: RawSocket) => raw.sendFrame(OPCODE.PING, Buffer.alloc(126))],
  ])('%s closes the connection with close code %i', async (_, code, send) => {
    const raw = await attack.openAuthenticated();
    send(raw);
    await raw.waitForEnd();
    expect(raw.closeCode).toBe(code);
  });

  test('accepts a frame in a few fragments and closes the connection on a frame in hundreds of fragments', async () => {
    const raw = await attack.openAuthenticated();
    for (const [index, part] of ['425["Heartbeat', 'Message"', ',{}]'].entries()) {
      raw.sendFrame(index === 0 ? OPCODE.TEXT : OPCODE.CONTINUATION, Buffer.from(part), { fin: index === 2 });
    }
    await raw.waitFor(() => raw.texts.some((text) => text.startsWith('435[{"ok":true')), 'the response');
    raw.sendFrame(OPCODE.TEXT, Buffer.from('4'), { fin: false });
    for (let part = 0; part < 500; part += 1) raw.sendFrame(OPCODE.CONTINUATION, Buffer.from('x'), { fin: false });
    await raw.waitForEnd();
  });

  test('closes the connection with 1009 when the fragments of a message together exceed the maximum size', async () => {
    const raw = await attack.openAuthenticated();
    raw.sendFrame(OPCODE.TEXT, Buffer.alloc(40 * KIB, 'x'), { fin: false });
    raw.sendFrame(OPCODE.CONTINUATION, Buffer.alloc(40 * KIB, 'x'), { fin: false });
    await raw.waitForEnd();
    expect(raw.closeCode).toBe(1009);
  });

  test('rejects JSON that is nested thirty thousand levels deep', async () => {
    const raw = await attack.openAuthenticated();
    const deep = '['.repeat(30_000) + ']'.repeat(30_000);
    raw.sendText(`421["HeartbeatMessage",{"battery":${deep}}]`);
    await raw.waitFor(
      () => raw.isEnded || raw.texts.some((text) => text.startsWith('431[')),
      'a response or the close',
    );
    if (!raw.isEnded) expect(raw.texts.find((text) => text.startsWith('431['))).toContain('BODY_TOO_COMPLEX');
  });

  test('A45 reads large frames at 1 KiB per permitted event after a burst, and answers all of them', async () => {
    const FRAMES = 7;
    const person = user();
    const raw = await attack.openAuthenticated(person);
    const sentAt = performance.now();
    for (let frame = 1; frame <= FRAMES; frame += 1)
      raw.sendText(`42${frame}["HeartbeatMessage",{"padding":"${'x'.repeat(63 * KIB)}"}]`);
    await raw.waitFor(() => raw.texts.some((text) => text.startsWith(`43${FRAMES}[`)), 'the last response');
    expect(raw.texts.filter((text) => text.startsWith('43'))).toHaveLength(FRAMES);
    // 441 KiB, of which 256 KiB are read at once, and the last frame is not delayed by itself: 122 KiB at 50 KiB/s.
    expect(performance.now() - sentAt).toBeGreaterThan(2_000);
    await expectResponsive(raw);
    // A client that was paused gets the advice with which clients reconnect, and a close frame.
    const sessions = serviceOf(ConnectionRegistryService).sessionsOf(`user:${person.id}`);
    expect(sessions).toHaveLength(1);
    for (const { connection } of sessions) connection.close('shutting down');
    await raw.waitForEnd();
    expect(raw.texts.filter((text) => text.startsWith('42["reconnect"'))).toHaveLength(1);
    expect(raw.closeCode).toBeDefined();
  });
});
