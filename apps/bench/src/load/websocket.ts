import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/**
 * Address of a server, and optionally the local IP address to connect from. The number of ports limits the connections
 * between two IP addresses, so many connections require several local addresses.
 */
export interface ServerEndpoint {
  host: string;
  port: number;
  localAddress?: string | undefined;
}

const OPCODE = { TEXT: 1, CLOSE: 8, PING: 9, PONG: 10 } as const;
const FINAL_BIT = 0x80;
const MASKED_BIT = 0x80;
const LENGTH_16_BIT = 126;
const LENGTH_64_BIT = 127;
const END_OF_HEADERS = '\r\n\r\n';
const UPGRADE_TIMEOUT_MS = 20_000;

/**
 * A minimal RFC 6455 client for text frames. The client uses as little CPU time as possible, because the load generator
 * shares two cores with the server. Frames that are sent in one turn of the event loop are written together.
 */
export class WebSocketConnection {
  onText: (text: string) => void = () => undefined;
  onClose: () => void = () => undefined;
  private readonly mask = randomBytes(4);
  private outgoing: Buffer[] = [];
  private incompleteFrame: Buffer | undefined;
  private fragments: Buffer[] = [];

  private constructor(private readonly socket: Socket) {}

  /** @throws Error when the connection fails or the server rejects the upgrade */
  static open({ host, port, localAddress }: ServerEndpoint, path: string): Promise<WebSocketConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true, ...(localAddress ? { localAddress } : {}) });
      const connection = new WebSocketConnection(socket);
      let response = '';
      const onUpgradeData = (chunk: Buffer): void => {
        response += chunk.toString('latin1');
        const end = response.indexOf(END_OF_HEADERS);
        if (end === -1) return;
        socket.off('data', onUpgradeData);
        socket.setTimeout(0);
        if (!response.startsWith('HTTP/1.1 101')) {
          socket.destroy();
          reject(new Error(`The upgrade was rejected: ${response.slice(0, response.indexOf('\r\n'))}`));
          return;
        }
        socket.on('data', (data: Buffer) => connection.onData(data));
        const surplus = Buffer.from(response.slice(end + END_OF_HEADERS.length), 'latin1');
        resolve(connection);
        // Bytes after the upgrade response are processed in the next turn of the event loop, when the caller has set
        // its callbacks.
        if (surplus.length > 0) setImmediate(() => connection.onData(surplus));
      };
      socket.on('data', onUpgradeData);
      socket.setTimeout(UPGRADE_TIMEOUT_MS, () => socket.destroy());
      socket.on('error', reject);
      socket.once('close', () => {
        reject(new Error('The connection was closed during the upgrade'));
        connection.onClose();
      });
      socket.write(upgradeRequest(host, port, path));
    });
  }

  send(text: string): void {
    if (this.outgoing.length === 0) setImmediate(() => this.flush());
    this.outgoing.push(encodeFrame(OPCODE.TEXT, Buffer.from(text), this.mask));
  }

  close(): void {
    this.socket.destroy();
  }

  private flush(): void {
    const frames = this.outgoing;
    this.outgoing = [];
    if (this.socket.writable) this.socket.write(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
  }

  private onData(chunk: Buffer): void {
    const data = this.incompleteFrame ? Buffer.concat([this.incompleteFrame, chunk]) : chunk;
    this.incompleteFrame = undefined;
    let offset = 0;
    while (offset < data.length) {
      const frame = readFrame(data, offset);
      if (!frame) break;
      offset = frame.end;
      this.onFrame(frame);
    }
    if (offset < data.length) this.incompleteFrame = data.subarray(offset);
  }

  private onFrame({ opcode, isLastFragment, payload }: Frame): void {
    if (opcode === OPCODE.PING) this.socket.write(encodeFrame(OPCODE.PONG, payload, this.mask));
    else if (opcode === OPCODE.CLOSE) this.socket.end();
    else if (opcode === OPCODE.TEXT && isLastFragment) this.onText(payload.toString());
    else if (opcode <= OPCODE.TEXT) {
      this.fragments.push(payload);
      if (!isLastFragment) return;
      const whole = Buffer.concat(this.fragments);
      this.fragments = [];
      this.onText(whole.toString());
    }
  }
}

interface Frame {
  opcode: number;
  isLastFragment: boolean;
  payload: Buffer;
  end: number;
}

function readFrame(data: Buffer, start: number): Frame | undefined {
  if (data.length < start + 2) return undefined;
  const first = data[start] as number;
  let length = (data[start + 1] as number) & 0x7f;
  let offset = start + 2;
  if (length === LENGTH_16_BIT) {
    if (data.length < offset + 2) return undefined;
    length = data.readUInt16BE(offset);
    offset += 2;
  } else if (length === LENGTH_64_BIT) {
    if (data.length < offset + 8) return undefined;
    length = Number(data.readBigUInt64BE(offset));
    offset += 8;
  }
  const end = offset + length;
  if (data.length < end) return undefined;
  return { opcode: first & 0x0f, isLastFragment: (first & FINAL_BIT) !== 0, payload: data.subarray(offset, end), end };
}

/** Returns a frame with a text. */
export function encodeTextFrame(text: string): Buffer {
  return encodeFrame(OPCODE.TEXT, Buffer.from(text), randomBytes(4));
}

function encodeFrame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  const extra = payload.length < LENGTH_16_BIT ? 0 : payload.length < 65_536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(6 + extra + payload.length);
  frame[0] = FINAL_BIT | opcode;
  frame[1] = MASKED_BIT | (extra === 0 ? payload.length : extra === 2 ? LENGTH_16_BIT : LENGTH_64_BIT);
  if (extra === 2) frame.writeUInt16BE(payload.length, 2);
  else if (extra === 8) frame.writeBigUInt64BE(BigInt(payload.length), 2);
  mask.copy(frame, 2 + extra);
  const start = 6 + extra;
  for (let index = 0; index < payload.length; index++) {
    frame[start + index] = (payload[index] as number) ^ (mask[index & 3] as number);
  }
  return frame;
}

/** Returns the request of a client that opens a WebSocket (RFC 6455, 4.1). */
export function upgradeRequest(host: string, port: number, path: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    'Sec-WebSocket-Version: 13',
  ]
    .join('\r\n')
    .concat(END_OF_HEADERS);
}
