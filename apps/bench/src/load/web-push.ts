import { createECDH, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { post } from './family-traffic.js';
import type { HttpRequest } from './http-connection.js';

const LOOPBACK = '127.0.0.1';

/** Returns the request that registers a Web Push subscription (RFC 8030) with new keys (RFC 8291). */
export function registerEndpoint(token: string, endpoint: string): HttpRequest {
  const p256dh = createECDH('prime256v1').generateKeys().toString('base64url');
  const keys = { p256dh, auth: randomBytes(16).toString('base64url') };
  return post('/apis/v2/message/push-token/create', token, { service: 'WEB_PUSH', token: endpoint, keys });
}

/** A push service that accepts every push at once. */
export class PushEndpoints {
  /** When the last urgent push arrived at each path, by `performance.now()`. */
  readonly lastUrgentAt = new Map<string, number>();
  private readonly server = createServer((request, response) => {
    request.resume();
    response.writeHead(201).end();
    // A resolved SOS is announced to the same endpoint without urgency.
    if (request.headers['urgency'] === 'high') this.lastUrgentAt.set(request.url ?? '', performance.now());
  });

  static async start(): Promise<PushEndpoints> {
    const endpoints = new PushEndpoints();
    await listen(endpoints.server);
    return endpoints;
  }

  urlOf(path: string): string {
    return `${originOf(this.server)}${path}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Starts a server on a free port of this machine. */
export function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, LOOPBACK, resolve));
}

export function originOf(server: Server): string {
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}
