import { randomBytes } from 'node:crypto';
import { RawConnection } from '@family-watch/testing/clients/raw-connection';
import type { FuzzCallers } from './callers.js';
import { shorten, showsInternals, type Finding } from './finding.js';
import { encodeJson, HOSTILE_TEXTS, hostileValue, mutateText, mutateValue } from './mutations.js';
import type { RandomChoice } from './random-choice.js';
import { SocketSession, type SocketOutcome } from './socket-session.js';

/** Packets of Engine.IO and Socket.IO that are incomplete, out of order or of unknown types. */
const BROKEN_PACKETS: readonly string[] = [
  '',
  '0',
  '1',
  '2probe',
  '3',
  '4',
  '5',
  '6',
  '7',
  '9',
  'x',
  '40',
  '40{"token":1}',
  '40/admin,{"token":"x"}',
  '40/__proto__,',
  '41',
  '42',
  '42[',
  '42[]',
  '42{}',
  '42null',
  '42[1]',
  '42[null]',
  '42[{}]',
  '42["connect"]',
  '42["disconnect"]',
  '42["disconnecting","x"]',
  '42["error",{}]',
  '42["newListener"]',
  '42["__proto__",{}]',
  '42["constructor",{}]',
  '42["hello",{}]',
  '42["messages",{"messages":[]}]',
  '42["HeartbeatMessage"]',
  '42["HeartbeatMessage",{},{},{}]',
  '42-1["HeartbeatMessage",{}]',
  '429999999999999999999["HeartbeatMessage",{}]',
  '42/other,1["HeartbeatMessage",{}]',
  '43',
  '431[]',
  '4399999["x"]',
  '44{"message":"x"}',
  '451-["HeartbeatMessage",{"_placeholder":true,"num":0}]',
  '45999999999-["x"]',
  '451-["x",{"_placeholder":true,"num":-1}]',
  '451-["x",{"_placeholder":true,"num":"__proto__"}]',
  '460-[]',
  '47',
  '4\u0000',
  'b4AAA=',
  '42["ChatTextMessage",{"text":"\ud83d"}]',
];

const MAX_FRAME_BYTES = 65_536;

/** Result of an iteration. */
export interface FrameResult {
  kind: string;
  /** Number of events, packets or requests that were sent. */
  sent: number;
  finding?: Finding;
}

type FrameTest = (callers: FuzzCallers, random: RandomChoice) => Promise<FrameResult>;

/** Sends mutated events, broken packets and frames, or slow and pipelined requests. */
export async function runFrames(callers: FuzzCallers, random: RandomChoice): Promise<FrameResult> {
  const run = random.pick<FrameTest>([
    sendEvent,
    sendEvent,
    sendEvent,
    sendEvent,
    sendEvent,
    sendPackets,
    sendPackets,
    sendHandshake,
    sendWebSocketBytes,
    sendRawRequests,
  ]);
  return run(callers, random);
}

async function openSession(callers: FuzzCallers, random: RandomChoice) {
  const caller = await callers.choose(random.pick(['user', 'user', 'watch']), random);
  const session = await SocketSession.open(callers.target.url, `40${JSON.stringify({ token: caller.token })}`);
  return { session, values: callers.eventValues(caller, random) };
}

async function sendEvent(callers: FuzzCallers, random: RandomChoice): Promise<FrameResult> {
  const { session, values } = await openSession(callers, random);
  const inputs: string[] = [];
  for (let count = random.integer(1, 6); count > 0 && session.isOpen; count -= 1) {
    const event = random.pick(callers.documents.events);
    const valid = values.create(event.payload, '', random);
    const value = random.chance(0.9) ? mutateValue(valid, random) : valid;
    const text = random.chance(0.08) ? mutateText(encodeJson(value), random).toString('latin1') : encodeJson(value);
    const name = random.chance(0.04) ? random.pick(HOSTILE_TEXTS) : event.name;
    // The gateway ends a connection with a frame of more than 64 KiB.
    const payload = text.slice(0, random.chance(0.02) ? MAX_FRAME_BYTES + 1 : MAX_FRAME_BYTES - 200);
    inputs.push(`${name} ${payload}`);
    const outcome = await session.emit(name, payload);
    const what = problemOf(outcome);
    if (what !== undefined) {
      session.close();
      return { kind: 'event', sent: inputs.length, finding: findingOf(`event ${name}: ${what}`, inputs, outcome) };
    }
  }
  session.close();
  return { kind: 'event', sent: inputs.length };
}

async function sendPackets(callers: FuzzCallers, random: RandomChoice): Promise<FrameResult> {
  const { session } = await openSession(callers, random);
  const inputs: string[] = [];
  for (let count = random.integer(1, 8); count > 0; count -= 1) {
    const packet = random.pick<() => string | Uint8Array<ArrayBuffer>>([
      () => random.pick(BROKEN_PACKETS),
      () => random.pick(BROKEN_PACKETS),
      () => `42["${random.pick(callers.documents.events).name}",${encodeJson(hostileValue(random)).slice(0, 60_000)}]`,
      () => `4${random.bytes(random.integer(1, 60))}`,
      () => new Uint8Array(Buffer.from(random.bytes(random.integer(0, 200)), 'latin1')),
    ])();
    inputs.push(typeof packet === 'string' ? packet : `bytes ${Buffer.from(packet).toString('hex')}`);
    session.send(packet);
  }
  // After a binary event without its attachments the parser rejects every text, so the connection ends.
  const outcome = await session.settle();
  session.close();
  const what = problemOf(outcome);
  return {
    kind: 'packets',
    sent: inputs.length,
    ...(what === undefined ? {} : { finding: findingOf(`packets: ${what}`, inputs, outcome) }),
  };
}

async function sendHandshake({ target }: FuzzCallers, random: RandomChoice): Promise<FrameResult> {
  const auth = encodeJson(
    random.chance(0.5) ? { token: hostileValue(random), last: hostileValue(random) } : hostileValue(random),
  );
  const packet = random.chance(0.3) ? random.pick(BROKEN_PACKETS) : `40${auth.slice(0, 60_000)}`;
  const session = await SocketSession.open(target.url, packet);
  const { received } = session;
  session.close();
  const finding = showsInternals(received)
    ? findingOf('handshake: internals', [packet], { kind: 'ack', text: received })
    : undefined;
  return { kind: 'handshake', sent: 1, ...(finding ? { finding } : {}) };
}

/** Sends bytes that are no valid WebSocket frames after a valid upgrade. */
async function sendWebSocketBytes({ target }: FuzzCallers, random: RandomChoice): Promise<FrameResult> {
  const connection = await RawConnection.open(target.url);
  const inputs: string[] = [];
  connection.send(
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `Sec-WebSocket-Version: ${random.pick(['13', '13', '13', '8', 'x'])}\r\n` +
      `Sec-WebSocket-Key: ${random.chance(0.9) ? randomBytes(16).toString('base64') : 'short'}\r\n` +
      `Sec-WebSocket-Extensions: ${random.pick(['permessage-deflate', 'permessage-deflate; server_max_window_bits=99', 'x;;'])}\r\n\r\n`,
  );
  for (let count = random.integer(1, 4); count > 0; count -= 1) {
    const opcode = random.pick([0x81, 0x82, 0x01, 0x80, 0x88, 0x89, 0x8a, 0x83, 0x8f, 0xc1, 0xf1]);
    const length = random.pick([
      [0x00],
      [0x80],
      [0xfe, 0xff, 0xff],
      [0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0x85],
      [0x05],
    ]);
    const payload = Buffer.from(random.bytes(random.integer(0, 64)), 'latin1');
    const frame = Buffer.concat([Buffer.from([opcode, ...length]), payload]);
    inputs.push(frame.toString('hex'));
    connection.socket.write(frame);
  }
  return closeRaw('websocket', inputs.join('\n'), connection, random);
}

/** Sends requests that are incomplete, pipelined or malformed. */
async function sendRawRequests({ target, documents }: FuzzCallers, random: RandomChoice): Promise<FrameResult> {
  const connection = await RawConnection.open(target.url);
  const { method, path } = random.pick(documents.operations);
  const line = `${method} ${path.replace(/\{\w+\}/g, 'x')} HTTP/1.1\r\nHost: x\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const text = random.pick([
    `${line}${json}Content-Length: 100\r\n\r\n{"a"`,
    `${line}${json}Content-Length: -1\r\n\r\n`,
    `${line}${json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${line}${json}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${line}${json}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`,
    `${line}${json}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(9_000)}\r\n{}\r\n0\r\n\r\n`,
    `${line}${json}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${line}${json}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    `${line}X: ${'y'.repeat(40_000)}\r\n\r\n`,
    `${line}${'A: b\r\n'.repeat(3_000)}\r\n`,
    `${line}A : b\r\n\r\n`,
    `${line}\0: b\r\n\r\n`,
    `${line}\r\n`.repeat(40),
    `${line}${json}Content-Length: 2\r\n\r\n{}`.repeat(20),
    line.slice(0, random.integer(1, line.length)),
    `${line.replace('HTTP/1.1', 'HTTP/9.9')}\r\n`,
    `${line.replace('HTTP/1.1', '')}\r\n`,
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `GET ${`/${'a'.repeat(20)}`.repeat(400)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
    `CONNECT ${path} HTTP/1.1\r\nHost: x\r\n\r\n`,
    random.bytes(random.integer(1, 300)),
  ]);
  const sent = Buffer.from(text, 'latin1');
  const middle = random.chance(0.3) ? random.integer(0, sent.length) : sent.length;
  connection.socket.write(sent.subarray(0, middle));
  if (middle < sent.length) connection.socket.write(sent.subarray(middle));
  return closeRaw('raw request', text, connection, random);
}

/** Waits for a response or the end of the connection, or abandons the connection at once. */
async function closeRaw(
  kind: string,
  input: string,
  connection: RawConnection,
  random: RandomChoice,
): Promise<FrameResult> {
  if (random.chance(0.6)) {
    const { socket } = connection;
    // An incomplete request gets no response, so that the wait is short.
    await Promise.race([
      new Promise((resolve) => socket.once('data', resolve)),
      new Promise((resolve) => socket.once('close', resolve)),
      new Promise((resolve) => setTimeout(resolve, 100)),
    ]);
  }
  connection.close();
  const status = connection.statuses.find((each) => each >= 500 && each !== 503 && each !== 505 && each !== 501);
  const what = status === undefined ? (showsInternals(connection.text) ? 'internals' : undefined) : `status ${status}`;
  return {
    kind,
    sent: 1,
    ...(what === undefined
      ? {}
      : { finding: findingOf(`${kind}: ${what}`, [input], { kind: 'ack', text: connection.text }) }),
  };
}

function problemOf(outcome: SocketOutcome): string | undefined {
  if (outcome.kind === 'timeout') return 'no acknowledgement within 10 s on an open connection';
  if (outcome.kind !== 'ack') return undefined;
  const { code, retryAfter } = acknowledgementOf(outcome.text);
  if (code >= 500_000 && retryAfter === undefined) return `error ${code}`;
  return showsInternals(outcome.text) ? 'the acknowledgement shows internals of the service' : undefined;
}

function acknowledgementOf(text: string): { code: number; retryAfter?: number } {
  const [acknowledgement] = JSON.parse(text.slice(text.indexOf('['))) as [{ code?: number; retryAfter?: number }?];
  return {
    code: acknowledgement?.code ?? 0,
    ...(acknowledgement?.retryAfter === undefined ? {} : { retryAfter: acknowledgement.retryAfter }),
  };
}

function findingOf(what: string, inputs: readonly string[], outcome: SocketOutcome): Finding {
  return { what, input: shorten(inputs.join('\n')), output: 'text' in outcome ? shorten(outcome.text) : outcome.kind };
}
