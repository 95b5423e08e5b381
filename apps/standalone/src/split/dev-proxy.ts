import { Agent, request as openRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Duplex } from 'node:stream';
import { respondError } from '@family-watch/platform/http/error-response';
import { createHttpServer } from '@family-watch/platform/http/http-server';
import type { HttpServerSettings } from '@family-watch/platform/http/http-server';
import { allowSlowBody } from '@family-watch/platform/http/request-sequencer';
import { appForPath } from '@family-watch/platform/http/route-table';
import type { AppName } from '@family-watch/platform/http/route-table';
import { respondAppUnavailable, responseHeaders, requestHeaders, tunnel } from './proxy-protocol.js';

/** Base URL of the process of each app. */
export type Upstreams = Readonly<Record<AppName, URL>>;

export interface DevProxyOptions {
  upstreams: Upstreams;
  /** Responds to paths that belong to no app. @returns false for an unknown path */
  respondOwnRoute: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  settings: HttpServerSettings;
}

/**
 * Reverse proxy for the apps as separate processes, for development; in production nginx has this role.
 *
 * The proxy does not parse bodies or limit their size, rewrite paths or repeat requests (DeleteChild is a GET). The
 * proxy forwards the back-pressure of a slow WebSocket client to the gateway.
 */
export class DevProxy {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly tunnels = new Set<Duplex>();
  private readonly server: Server;

  constructor(private readonly options: DevProxyOptions) {
    this.server = createHttpServer((request, response) => this.forwardRequest(request, response), options.settings);
    this.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.upgrade(request, socket, head),
    );
  }

  /** @returns the URL of the proxy */
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

  /** Stops accepting requests and closes all connections. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.tunnels) socket.destroy();
    this.server.closeAllConnections();
    await closed;
    this.agent.destroy();
  }

  private forwardRequest(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    const app = appForPath(path);
    if (!app) {
      if (!this.options.respondOwnRoute(path, request, response)) respondError('ROUTE_NOT_FOUND', path, response);
      return;
    }
    // The proxy does not know which requests are uploads; each app has its own limits.
    allowSlowBody(request);
    response.setTimeout(this.options.settings.HTTP_STALL_TIMEOUT * 1_000, () => response.destroy());
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
    // Errors of `request` and `upstream` are handled by their error listeners.
    request.pipe(upstream);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    // `pipeline` adds several listeners to both ends.
    socket.setMaxListeners(20);
    this.tunnels.add(socket);
    socket.on('close', () => this.tunnels.delete(socket));
    // Opens a connection without the agent, because an upgraded connection cannot be reused.
    tunnel(this.open(request, this.options.upstreams.gateway, undefined), socket, head);
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
