import { createHash, X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { createSelfSigned } from '@family-watch/testing/network/self-signed-certificate';

/**
 * Version and packet tags of MCS, the protocol between Chromium and its push service (`google_apis/gcm/protocol` in
 * Chromium's sources).
 */
const MCS_VERSION = 41;
const MCS_PACKET_TAG = { LOGIN_RESPONSE: 3, DATA_MESSAGE: 8 };
/**
 * Milliseconds after which a connection is stable, because Chromium reopens its connection right after the first
 * registration.
 */
const STABLE_CONNECTION_MS = 1_500;
/** Milliseconds after which a message is sent again, because a connection can end between its sending and its receipt. */
const RESEND_MS = 20_000;
/** Id of the message that the server sends and that the browser acknowledges. */
const MESSAGE_ID = 'message-1';

/**
 * Local replacement of Google's push service for Chromium: accepts the browser's check-in, registers its subscriptions,
 * and delivers messages over its connection. Like Google's service, the server receives only ciphertext.
 */
export class LocalGcm {
  private registration: URLSearchParams | undefined;
  private connection: { socket: TLSSocket; openedAt: number } | undefined;
  private message: Buffer | undefined;
  private resending: NodeJS.Timeout | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly http: Server,
    private readonly mcs: TlsServer,
    private readonly keyDigest: string,
  ) {}

  static async start(): Promise<LocalGcm> {
    const identity = createSelfSigned('localhost');
    const key = new X509Certificate(identity.cert).publicKey.export({ type: 'spki', format: 'der' });
    const digest = createHash('sha256').update(key).digest('base64');
    const gcm = new LocalGcm(createServer(), createTlsServer(identity), digest);
    gcm.http.on('request', (request, response) => {
      void text(request).then((body) => response.end(gcm.respond(request.url ?? '', body)));
    });
    gcm.mcs.on('secureConnection', (socket) => gcm.handleLogin(socket));
    for (const server of [gcm.http, gcm.mcs]) {
      server.on('connection', (socket: Socket) => gcm.sockets.add(socket));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    return gcm;
  }

  /** Command-line flags that make Chromium use this server. */
  get flags(): string[] {
    const [http, mcs] = [this.http, this.mcs].map((server) => (server.address() as AddressInfo).port);
    return [
      `--gcm-checkin-url=http://127.0.0.1:${http}/checkin`,
      `--gcm-registration-url=http://127.0.0.1:${http}/register`,
      `--gcm-mcs-endpoint=https://localhost:${mcs}`,
      `--ignore-certificate-errors-spki-list=${this.keyDigest}`,
    ];
  }

  /** Sends an encrypted message (RFC 8291) to the latest subscription; resends it on reconnect and in intervals. */
  async deliver(body: Buffer): Promise<void> {
    const { socket } = await waitUntilFound('a browser that stays connected to its push service', () =>
      this.connection && Date.now() - this.connection.openedAt >= STABLE_CONNECTION_MS ? this.connection : undefined,
    );
    const parameter = (name: string) => this.registration?.get(name) ?? '';
    const data = (key: string, value: string) =>
      encodeBytes(7, Buffer.concat([encodeBytes(1, key), encodeBytes(2, value)]));
    const message = [
      encodeBytes(2, MESSAGE_ID),
      encodeBytes(3, parameter('sender')),
      encodeBytes(5, parameter('app')),
      data('subtype', parameter('X-subtype')),
      data('content-encoding', 'aes128gcm'),
      encodeBytes(9, MESSAGE_ID),
      encodeInteger(17, 600),
      encodeInteger(18, Date.now()),
      encodeBytes(21, body),
    ];
    this.message = encodePacket(MCS_PACKET_TAG.DATA_MESSAGE, message);
    socket.write(this.message);
    this.resending = setInterval(() => this.connection?.socket.write(this.message ?? ''), RESEND_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.resending);
    for (const socket of this.sockets) socket.destroy();
    for (const server of [this.http, this.mcs]) await new Promise((resolve) => server.close(resolve));
  }

  private respond(url: string, body: string): Buffer | string {
    if (url === '/checkin') {
      return Buffer.concat([
        encodeInteger(1, 1),
        encodeInteger(3, Date.now()),
        encodeFixed64(7, 1_234_567_890_123n),
        encodeFixed64(8, 987_654_321n),
      ]);
    }
    this.registration = new URLSearchParams(body);
    return 'token=local';
  }

  private handleLogin(socket: TLSSocket): void {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.connection?.socket === socket) this.connection = undefined;
    });
    socket.once('data', (request: Buffer) => {
      const response = encodePacket(MCS_PACKET_TAG.LOGIN_RESPONSE, [
        encodeBytes(1, 'login'),
        encodeInteger(8, Date.now()),
      ]);
      socket.write(Buffer.concat([Buffer.from([MCS_VERSION]), response]));
      if (this.message && !request.includes(MESSAGE_ID)) socket.write(this.message);
      this.connection = { socket, openedAt: Date.now() };
    });
  }
}

function encodePacket(tag: number, fields: readonly Buffer[]): Buffer {
  const content = Buffer.concat(fields);
  return Buffer.concat([Buffer.from([tag]), encodeVarint(content.length), content]);
}

/** Encodes the integer field number `field` of a protocol buffer message with variable length. */
function encodeInteger(field: number, value: number): Buffer {
  return Buffer.concat([encodeVarint(field << 3), encodeVarint(value)]);
}

function encodeFixed64(field: number, value: bigint): Buffer {
  const content = Buffer.alloc(8);
  content.writeBigUInt64LE(value);
  return Buffer.concat([encodeVarint((field << 3) | 1), content]);
}

function encodeBytes(field: number, value: string | Buffer): Buffer {
  const content = Buffer.from(value as string);
  return Buffer.concat([encodeVarint((field << 3) | 2), encodeVarint(content.length), content]);
}

function encodeVarint(value: number): Buffer {
  const parts: number[] = [];
  let remaining = value;
  for (; remaining > 0x7f; remaining = Math.floor(remaining / 0x80)) parts.push((remaining % 0x80) | 0x80);
  return Buffer.from([...parts, remaining]);
}
