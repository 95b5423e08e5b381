import {
  Agent,
  ServerResponse,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ProxyServer } from 'httpxy';
import { endWithError, respondError } from '@family-watch/platform/http/error-response';
import { createHttpServer, type HttpServerSettings } from '@family-watch/platform/http/server/http-server';
import { allowSlowBody } from '@family-watch/platform/http/request-sequencer';
import { appForPath } from '@family-watch/platform/http/route-table';
import { respondAppUnavailable } from './proxy-own-routes.js';
import type { Upstreams } from './split-plan.js';

export interface DevProxyOptions {
  upstreams: Upstreams;
  /** Responds to paths that belong to no app. @returns false for an unknown path */
  respondOwnRoute: (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
  settings: HttpServerSettings;
}

/**
 * Reverse proxy for the apps as separate processes, for development; in production nginx has this role.
 *
 * `httpxy` forwards requests and WebSockets. This class selects the app, replaces the forwarding headers of the client
 * and responds when an app is unavailable.
 */
export class DevProxy {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly proxy = new ProxyServer();
  private readonly webSockets = new Set<Socket>();
  private readonly server: Server;

  constructor(private readonly options: DevProxyOptions) {
    this.server = createHttpServer((request, response) => this.forwardRequest(request, response), options.settings);
    this.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
      this.forwardUpgrade(request, socket, head),
    );
    this.proxy.on('error', (_, request, connection) => {
      if (request && connection) respondUnavailable(pathOf(request), connection);
    });
    this.proxy.on('proxyReqWs', (upstream, _, socket) => closeTogether(upstream, socket));
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
    for (const socket of this.webSockets) socket.destroy();
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
    request.headers = forwardedHeaders(request, false);
    void this.proxy.web(request, response, { target: this.options.upstreams[app], agent: this.agent });
  }

  private forwardUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    this.webSockets.add(socket);
    socket.on('close', () => this.webSockets.delete(socket));
    request.headers = forwardedHeaders(request, true);
    void this.proxy.ws(request, socket, { target: this.options.upstreams.gateway }, head);
  }
}

/** Closes the gateway's connection when the client's connection closes, which `httpxy` does only after a half-close. */
function closeTogether(upstream: ClientRequest, socket: Socket): void {
  socket.on('close', () => upstream.destroy());
  upstream.on('upgrade', (_, upstreamSocket) => socket.on('close', () => upstreamSocket.destroy()));
}

/** Responds with 503, or closes the connection if a response has begun. */
function respondUnavailable(path: string, connection: ServerResponse | Socket): void {
  if (connection instanceof ServerResponse) {
    if (connection.headersSent) connection.destroy();
    else respondAppUnavailable(path, connection);
  } else if (connection.bytesWritten > 0) connection.destroy();
  else endWithError('SERVICE_UNAVAILABLE', path, connection);
}

/** Headers that the app must not receive: those that only the proxy may set, and hop-by-hop ones (RFC 9110, 7.6.1). */
const REMOVED_HEADERS = [
  'connection',
  'expect',
  'forwarded',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
];

/** Headers that a client must not be able to make the proxy remove by a `Connection` header that names them. */
const KEPT_HEADERS = new Set(['authorization', 'content-length', 'host', 'transfer-encoding']);

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Returns the headers for the app: the client's without hop-by-hop headers, and the client's address.
 *
 * @param isUpgrade - Node ignores an Upgrade header on other paths than /socket.io/, and so does the proxy
 */
function forwardedHeaders({ headers, method = 'GET', socket }: IncomingMessage, isUpgrade: boolean) {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const removed = new Set([...REMOVED_HEADERS, ...named.filter((name) => !KEPT_HEADERS.has(name))]);
  const forwarded: IncomingHttpHeaders = {
    ...Object.fromEntries(Object.entries(headers).filter(([name]) => !removed.has(name))),
    // A connection that has just ended has no address, and Node rejects an undefined header.
    'x-forwarded-for': socket.remoteAddress ?? '',
    'x-forwarded-proto': 'http',
  };
  if (headers.host) forwarded['x-forwarded-host'] = headers.host;
  if (isUpgrade) Object.assign(forwarded, { connection: 'Upgrade', upgrade: 'websocket' });
  // Without a length, Node would send an empty chunked body, which an app handles differently from no body.
  const hasLength = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (METHODS_WITH_BODY.has(method) && !hasLength) forwarded['content-length'] = '0';
  return forwarded;
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
