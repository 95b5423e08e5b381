import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';

export const OPCODE = { CONTINUATION: 0, TEXT: 1, BINARY: 2, CLOSE: 8, PING: 9, PONG: 10 } as const;

const ENGINE_PING = '2';
const ENGINE_PONG = '3';

export interface FrameOptions {
  /** Whether this frame is the last fragment of a message; default true. */
  fin?: boolean;
  /** Whether the frame is masked; default true, because clients must mask their frames. */
  masked?: boolean;
  /** Reserved bits of the first byte; 0x40 marks a compressed frame. */
  reservedBits?: number;
  /** Length in the frame header, if it must differ from the length of the payload. */
  claimedLength?: number;
}

/** A client without any client library: sends the bytes that a test passes to it, and responds to Engine.IO pings. */
export class RawSocket {
  /** Payloads of the received text frames. */
  readonly texts: string[] = [];
  closeCode: number | undefined;
  isEnded = false;
  /** Status line and headers of the HTTP response that precedes the WebSocket frames. */
  responseHead = '';
  private unparsedBytes = Buffer.alloc(0);
  private isUpgraded = false;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isEnded = true));
  }

  /** Opens a TCP connection and sends nothing. */
  static async openTcp(url: string): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const raw = new RawSocket(socket);
    await once(socket, 'connect');
    return raw;
  }

  /** Opens an Engine.IO WebSocket without authenticating. */
  static async openWebSocket(url: string, extraHeaders: Record<string, string> = {}): Promise<RawSocket> {
    const raw = await RawSocket.openTcp(url);
    raw.socket.write(upgradeRequest(extraHeaders));
    await raw.waitFor(() => raw.texts.some((text) => text.startsWith('0')), 'the open packet');
    return raw;
  }

  /** Opens an Engine.IO WebSocket, authenticates, and waits for `hello`. */
  static async openAuthenticated(url: string, auth: object): Promise<RawSocket> {
    const raw = await RawSocket.openWebSocket(url);
    raw.sendText(`40${JSON.stringify(auth)}`);
    await raw.waitFor(() => raw.texts.some((text) => text.startsWith('42["hello"')), 'hello');
    return raw;
  }

  sendText(payload: string): void {
    this.sendFrame(OPCODE.TEXT, Buffer.from(payload));
  }

  sendFrame(opcode: number, payload: Buffer, options: FrameOptions = {}): void {
    this.socket.write(encodeFrame(opcode, payload, options));
  }

  async waitFor(condition: () => boolean, description: string): Promise<void> {
    await waitUntil(() => `${description}; got ${this.texts.join(' | ')}`, condition);
  }

  waitForEnd(): Promise<void> {
    return this.waitFor(() => this.isEnded || this.closeCode !== undefined, 'the end of the connection');
  }

  destroy(): void {
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    this.unparsedBytes = Buffer.concat([this.unparsedBytes, chunk]);
    if (!this.isUpgraded) {
      const end = this.unparsedBytes.indexOf('\r\n\r\n');
      if (end === -1) return;
      this.responseHead = this.unparsedBytes.subarray(0, end).toString('latin1');
      this.unparsedBytes = this.unparsedBytes.subarray(end + 4);
      this.isUpgraded = true;
    }
    while (this.parseFrame());
  }

  /** Parses an unmasked server frame; returns false when it is incomplete. */
  private parseFrame(): boolean {
    const { unparsedBytes } = this;
    if (unparsedBytes.length < 2) return false;
    const lengthCode = unparsedBytes.readUInt8(1) & 0x7f;
    const start = lengthCode === 127 ? 10 : lengthCode === 126 ? 4 : 2;
    if (unparsedBytes.length < start) return false;
    const length =
      lengthCode === 127
        ? Number(unparsedBytes.readBigUInt64BE(2))
        : lengthCode === 126
          ? unparsedBytes.readUInt16BE(2)
          : lengthCode;
    if (unparsedBytes.length < start + length) return false;
    const payload = unparsedBytes.subarray(start, start + length);
    const opcode = unparsedBytes.readUInt8(0) & 0x0f;
    if (opcode === OPCODE.TEXT) this.receiveText(payload.toString());
    if (opcode === OPCODE.CLOSE) this.closeCode = length >= 2 ? payload.readUInt16BE(0) : 1005;
    this.unparsedBytes = unparsedBytes.subarray(start + length);
    return true;
  }

  /** Responds to pings, because the server would otherwise close the connection during a test. */
  private receiveText(text: string): void {
    this.texts.push(text);
    if (text === ENGINE_PING) this.sendText(ENGINE_PONG);
  }
}

/** Returns the WebSocket upgrade request. A header with the value '' is omitted. */
export function upgradeRequest(
  extraHeaders: Record<string, string> = {},
  path = '/socket.io/?EIO=4&transport=websocket',
): string {
  const headers = {
    Host: '127.0.0.1',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    ...extraHeaders,
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function encodeFrame(opcode: number, payload: Buffer, options: FrameOptions): Buffer {
  const { fin = true, masked = true, reservedBits = 0, claimedLength = payload.length } = options;
  const firstByte = (fin ? 0x80 : 0) | reservedBits | opcode;
  const maskFlag = masked ? 0x80 : 0;
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const body = masked ? Buffer.from(payload.map((byte, index) => byte ^ mask.readUInt8(index % 4))) : payload;
  return Buffer.concat([Buffer.from([firstByte]), encodeLength(claimedLength, maskFlag), mask, body]);
}

function encodeLength(length: number, maskFlag: number): Buffer {
  if (length < 126) return Buffer.from([maskFlag | length]);
  const encoded = Buffer.alloc(length < 65_536 ? 3 : 9);
  encoded.writeUInt8(maskFlag | (length < 65_536 ? 126 : 127));
  if (length < 65_536) encoded.writeUInt16BE(length, 1);
  else encoded.writeBigUInt64BE(BigInt(length), 1);
  return encoded;
}
