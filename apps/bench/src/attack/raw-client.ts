import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** Address of the attacked service. */
export interface AttackTarget {
  host: string;
  port: number;
}

/**
 * Returns a random address of 127.0.0.0/8, which Linux accepts as local. Never returns 127.0.0.1, from which the
 * clients of the simulated families connect.
 */
export function randomAddress(): string {
  return `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;
}

/** Opens a connection from a local address. Errors end the connection; `close` is emitted in any case. */
export function openConnection({ host, port }: AttackTarget, localAddress: string): Socket {
  const socket = connect({ host, port, localAddress, noDelay: true });
  socket.on('error', () => undefined);
  return socket;
}

/** Returns the bytes of an HTTP/1.1 request with a JSON body. @param token - access token, if there is one */
export function jsonRequest(path: string, body: object, token?: string): Buffer {
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return Buffer.from(`${head}${authorization}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

/** Returns the bytes of an HTTP/1.1 request without a body. */
export function getRequest(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
}

/** Returns the status of a response that begins with `bytes`; undefined if `bytes` are a later part of a response. */
export function statusOf(bytes: Buffer): number | undefined {
  return bytes.toString('latin1', 0, 9) === 'HTTP/1.1 ' ? Number(bytes.toString('latin1', 9, 12)) : undefined;
}

/** Counts responses by status. */
export class StatusCounts {
  readonly counts: Record<string, number> = {};

  add(status: number | string): void {
    this.counts[status] = (this.counts[status] ?? 0) + 1;
  }
}
