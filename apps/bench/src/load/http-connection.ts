import { connect, type Socket } from 'node:net';
import type { ServerEndpoint } from './websocket.js';

const END_OF_HEADERS = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** Limit above the size of any expected response header. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Maximum number of bytes per read. */
const READ_BYTES = 256 * 1024;

export interface HttpRequest {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
}

export interface HttpResponse {
  status: number;
  /** Header lines as received, without the status line. */
  headers: string;
  /** Response body; empty when only its size was counted. */
  body: Buffer;
  /** Size of the body in bytes. */
  size: number;
}

interface PendingRequest {
  keepBody: boolean;
  resolve: (response: HttpResponse) => void;
  reject: (error: Error) => void;
}

/**
 * A minimal HTTP/1.1 client for one request at a time. The client uses as little CPU time as possible, because the load
 * generator shares two cores with the server: a complete parser in JavaScript, or a new buffer for bytes that are only
 * counted, would cost more than the server's work.
 */
export class HttpConnection {
  private pendingRequest: PendingRequest | undefined;
  private headBuffer: Buffer = Buffer.alloc(0);
  private response: HttpResponse | undefined;
  private remainingBytes = 0;
  private isChunked = false;
  private bodyChunks: Buffer[] = [];
  private readonly socket: Socket;
  private readonly host: string;

  private constructor({ host, port, localAddress }: ServerEndpoint) {
    this.host = `${host}:${port}`;
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: this.onRead.bind(this) };
    this.socket = connect({ host, port, noDelay: true, onread, ...(localAddress ? { localAddress } : {}) });
    this.socket.on('error', (error) => this.fail(error));
    this.socket.on('close', () => this.fail(new Error('The connection was closed')));
  }

  static open(endpoint: ServerEndpoint): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const connection = new HttpConnection(endpoint);
      const { socket } = connection;
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(connection);
      });
    });
  }

  /**
   * Sends a request and resolves with its response.
   *
   * @param keepBody - false: the body is counted and discarded
   */
  send({ method, path, headers = {}, body }: HttpRequest, keepBody = false): Promise<HttpResponse> {
    const lines = [`${method} ${path} HTTP/1.1`, `host: ${this.host}`];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (body) lines.push(`content-length: ${body.length}`);
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new Error('The connection is closed'));
      this.pendingRequest = { keepBody, resolve, reject };
      const head = Buffer.from(`${lines.join('\r\n')}${END_OF_HEADERS}`, 'latin1');
      this.socket.cork();
      this.socket.write(head);
      if (body) this.socket.write(body);
      this.socket.uncork();
    });
  }

  close(): void {
    this.pendingRequest = undefined;
    this.socket.destroy();
  }

  /** @param buffer - overwritten by the next read */
  private onRead(count: number, buffer: Uint8Array): boolean {
    const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, count);
    const isOnlyCounted = this.response !== undefined && this.pendingRequest?.keepBody === false;
    this.onData(isOnlyCounted ? chunk : Buffer.from(chunk));
    return true;
  }

  private onData(chunk: Buffer): void {
    if (this.response) return this.onBodyData(chunk);
    this.headBuffer = this.headBuffer.length === 0 ? chunk : Buffer.concat([this.headBuffer, chunk]);
    const end = this.headBuffer.indexOf(END_OF_HEADERS);
    if (end === -1) {
      if (this.headBuffer.length > MAX_HEADER_BYTES) this.fail(new Error('The response headers are too long'));
      return;
    }
    const text = this.headBuffer.toString('latin1', 0, end);
    const rest = this.headBuffer.subarray(end + END_OF_HEADERS.length);
    this.headBuffer = Buffer.alloc(0);
    const status = Number(text.slice(9, 12));
    // An interim (1xx) response: the final response follows.
    if (status < 200) return rest.length > 0 ? this.onData(rest) : undefined;
    this.response = { status, headers: text.slice(text.indexOf('\r\n') + 2), body: Buffer.alloc(0), size: 0 };
    this.isChunked = /^transfer-encoding: *chunked/im.test(text);
    this.remainingBytes = this.isChunked ? Infinity : Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
    this.onBodyData(rest);
  }

  private onBodyData(chunk: Buffer): void {
    const { response, pendingRequest: pending } = this;
    if (!response || !pending) return this.fail(new Error('Received data without a pending request'));
    this.remainingBytes -= chunk.length;
    response.size += chunk.length;
    if (pending.keepBody) this.bodyChunks.push(chunk);
    // The servers under test send only short texts in chunks. The chunk lengths are not removed from the body.
    if (this.isChunked && chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) this.remainingBytes = 0;
    if (this.remainingBytes > 0) return;
    response.body = Buffer.concat(this.bodyChunks);
    this.bodyChunks = [];
    this.response = undefined;
    this.pendingRequest = undefined;
    pending.resolve(response);
  }

  private fail(error: Error): void {
    this.pendingRequest?.reject(error);
    this.pendingRequest = undefined;
    this.socket.destroy();
  }
}

/** Returns the value of a response header. @throws Error when the header is missing */
export function headerOf({ headers }: HttpResponse, name: string): string {
  const value = new RegExp(`^${name}: *(.+?) *$`, 'im').exec(headers)?.[1];
  if (value === undefined) throw new Error(`The response has no ${name} header`);
  return value;
}
