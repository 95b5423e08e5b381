import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { ServerEndpoint } from './websocket.js';

const END_OF_HEADERS = '\r\n\r\n';
const LAST_CHUNK = Buffer.from('0\r\n\r\n');
/** Longer than any answer's headers. */
const MAX_HEADERS = 64 * 1024;
/** What one read brings at most. */
const READ_BYTES = 256 * 1024;

export interface HttpRequest {
  method: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
}

export interface HttpAnswer {
  status: number;
  /** As they came, without the status line. */
  headers: string;
  /** Empty for what was only counted. */
  body: Buffer;
  /** Bytes of the body. */
  size: number;
}

interface Pending {
  keep: boolean;
  resolve: (answer: HttpAnswer) => void;
  reject: (error: Error) => void;
}

/**
 * A client's side of HTTP/1.1 for one request at a time, as lean as it can be: the load shares two cores with the
 * server. A parser in JavaScript, or new memory for what is only counted, would cost more than what serves the bytes.
 */
export class HttpConnection {
  private pending: Pending | undefined;
  private head: Buffer = Buffer.alloc(0);
  private answer: HttpAnswer | undefined;
  private left = 0;
  private isChunked = false;
  private kept: Buffer[] = [];
  private readonly socket: Socket;
  private readonly host: string;

  private constructor({ host, port }: ServerEndpoint) {
    this.host = `${host}:${port}`;
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback: this.takeRead.bind(this) };
    this.socket = connect({ host, port, noDelay: true, onread });
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

  /** @param keep - false: the body is counted and forgotten */
  send({ method, path, headers = {}, body }: HttpRequest, keep = false): Promise<HttpAnswer> {
    const lines = [`${method} ${path} HTTP/1.1`, `host: ${this.host}`];
    for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    if (body) lines.push(`content-length: ${body.length}`);
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) return reject(new Error('The connection is closed'));
      this.pending = { keep, resolve, reject };
      const head = Buffer.from(`${lines.join('\r\n')}${END_OF_HEADERS}`, 'latin1');
      this.socket.cork();
      this.socket.write(head);
      if (body) this.socket.write(body);
      this.socket.uncork();
    });
  }

  close(): void {
    this.pending = undefined;
    this.socket.destroy();
  }

  /** @param buffer - the next read overwrites it */
  private takeRead(count: number, buffer: Uint8Array): boolean {
    const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, count);
    const isOnlyCounted = this.answer !== undefined && this.pending?.keep === false;
    this.take(isOnlyCounted ? chunk : Buffer.from(chunk));
    return true;
  }

  private take(chunk: Buffer): void {
    if (this.answer) return this.takeBody(chunk);
    this.head = this.head.length === 0 ? chunk : Buffer.concat([this.head, chunk]);
    const end = this.head.indexOf(END_OF_HEADERS);
    if (end === -1) {
      if (this.head.length > MAX_HEADERS) this.fail(new Error('The headers have no end'));
      return;
    }
    const text = this.head.toString('latin1', 0, end);
    const rest = this.head.subarray(end + END_OF_HEADERS.length);
    this.head = Buffer.alloc(0);
    const status = Number(text.slice(9, 12));
    // An interim answer: the one that counts follows.
    if (status < 200) return rest.length > 0 ? this.take(rest) : undefined;
    this.answer = { status, headers: text.slice(text.indexOf('\r\n') + 2), body: Buffer.alloc(0), size: 0 };
    this.isChunked = /^transfer-encoding: *chunked/im.test(text);
    this.left = this.isChunked ? Infinity : Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
    this.takeBody(rest);
  }

  private takeBody(chunk: Buffer): void {
    const { answer, pending } = this;
    if (!answer || !pending) return this.fail(new Error('Bytes came that nobody asked for'));
    this.left -= chunk.length;
    answer.size += chunk.length;
    if (pending.keep) this.kept.push(chunk);
    // Only short texts come in chunks here; whoever reads them sees the lengths, too.
    if (this.isChunked && chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) this.left = 0;
    if (this.left > 0) return;
    answer.body = Buffer.concat(this.kept);
    this.kept = [];
    this.answer = undefined;
    this.pending = undefined;
    pending.resolve(answer);
  }

  private fail(error: Error): void {
    this.pending?.reject(error);
    this.pending = undefined;
    this.socket.destroy();
  }
}

/** Value of a header of an answer. @throws Error when there is none */
export function headerOf({ headers }: HttpAnswer, name: string): string {
  const value = new RegExp(`^${name}: *(.+?) *$`, 'im').exec(headers)?.[1];
  if (value === undefined) throw new Error(`The answer has no ${name}`);
  return value;
}
