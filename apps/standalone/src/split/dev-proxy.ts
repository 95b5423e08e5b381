import { Agent, createServer, request as openRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';
import { appForPath, SOCKET_IO_PATH } from '@family-watch/platform/http/route-table';
import type { AppName } from '@family-watch/platform/http/route-table';
import { respondAppUnavailable, respondNoRoute, rejectUpgrade } from './proxy-responses.js';
import { responseHeaders, requestHeaders } from './proxy-headers.js';
import { tunnel } from './tunnel.js';

/** Base address of each app's own process. */
export type Upstreams = Readonly<Record<AppName, URL>>;

export interface DevProxyOptions {
  upstreams: Upstreams;
  /** Answers what belongs to no app; false when it does not know the address either. */
  own: (path: string, response: ServerResponse) => boolean;
}

/**
 * The one address before apps that are processes of their own, for development; in production nginx does the same.
 *
 * It passes bytes on: no body is parsed or bounded, no address rewritten, no request repeated (DeleteChild is a GET),
 * and a slow reader of a socket stays slow for the gateway behind it, which is what its back-pressure relies on.
 */
export class DevProxy {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly tunnels = new Set<Duplex>();
  private readonly server: Server;

  constructor(private readonly options: DevProxyOptions) {
    // Uploads take as long as they take; each app has its own limits.
    this.server = createServer({ requestTimeout: 0 });
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => this.pass(request, response));
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.upgrade(request, socket, head),
    );
  }

  /** @returns the address it listens at */
  async listen(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject).listen(port, host, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
    const bound = this.server.address() as AddressInfo;
    const name = ['0.0.0.0', '::'].includes(bound.address) ? '127.0.0.1' : bound.address;
    return `http://${name.includes(':') ? `[${name}]` : name}:${bound.port}`;
  }

  /** Takes no more requests and cuts what is open. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.tunnels) socket.destroy();
    this.server.closeAllConnections();
    await closed;
    this.agent.destroy();
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    const app = appForPath(path);
    if (!app) {
      if (!this.options.own(path, response)) respondNoRoute(path, response);
      return;
    }
    const upstream = this.open(request, this.options.upstreams[app], this.agent);
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', responseHeaders(answer));
      pipeline(answer, response, () => undefined);
    });
    upstream.on('error', () => {
      if (response.headersSent) response.destroy();
      else respondAppUnavailable(path, response);
    });
    response.on('close', () => upstream.destroy());
    // Errors of either side are seen above; here they would be seen twice.
    request.pipe(upstream);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = pathOf(request);
    const app = path === SOCKET_IO_PATH ? appForPath(path) : undefined;
    if (!app) {
      rejectUpgrade(socket, 404);
      return;
    }
    this.tunnels.add(socket);
    socket.on('close', () => this.tunnels.delete(socket));
    // Not from the pool: an upgraded connection never comes back.
    tunnel(this.open(request, this.options.upstreams[app], undefined), socket, head);
  }

  private open(request: IncomingMessage, { hostname, port }: URL, agent: Agent | undefined): ClientRequest {
    const { method, url: path } = request;
    return openRequest({ hostname, port, method, path, headers: requestHeaders(request), agent, setHost: false });
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
