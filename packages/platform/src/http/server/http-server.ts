import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Environment } from '../../config/environment.js';
import { addressFactorOf } from './carrier-networks.js';
import { ConnectionTable, parseNetworks } from './connection-table.js';
import { endWithError } from '../error-response.js';
import { RequestSequencer } from '../request-sequencer.js';
import { SOCKET_IO_PATH } from '../route-table.js';

/** Milliseconds between two checks of the timeouts. */
const CHECK_INTERVAL_MS = 250;

/** Maximum number of bytes in memory, over all connections, that wait for clients that do not read. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/** Fraction of the open-file limit that connections may use; databases, blobs and the event bus need the rest. */
const CONNECTION_FRACTION = 3 / 4;

export type HttpServerSettings = Pick<
  Environment,
  | 'HTTP_HEAD_TIMEOUT'
  | 'HTTP_BODY_TIMEOUT'
  | 'HTTP_IDLE_TIMEOUT'
  | 'HTTP_STALL_TIMEOUT'
  | 'HTTP_CONNECTIONS_PER_ADDRESS'
  | 'TRUSTED_PROXIES'
  | 'CARRIER_NETWORKS'
>;

/**
 * Creates an HTTP server that limits connections, requests, unread responses and their durations, per client and for
 * all clients together. Error responses of the server itself have the error format of the service.
 */
export function createHttpServer(handle: RequestListener, settings: HttpServerSettings): Server {
  const server: Server = createServer({
    headersTimeout: settings.HTTP_HEAD_TIMEOUT * 1_000,
    // Node's timeout would apply to uploads too; the sequencer ends requests whose body takes too long.
    requestTimeout: 0,
    keepAliveTimeout: settings.HTTP_IDLE_TIMEOUT * 1_000,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    // For a request without a Host header, Node would send a response without a body; `RequestSequencer` sends an
    // error.
    requireHostHeader: false,
    // An Upgrade header that requests anything but a WebSocket for Socket.IO is ignored (RFC 9110, 7.8).
    shouldUpgradeCallback: (request) => server.listenerCount('upgrade') > 0 && isSocketHandshake(request),
  });
  const limits = {
    perAddress: settings.HTTP_CONNECTIONS_PER_ADDRESS,
    total: Math.floor(openFileLimit() * CONNECTION_FRACTION),
    unreadBytes: MAX_UNREAD_BYTES,
  };
  const connections = new ConnectionTable(limits, parseNetworks(settings.TRUSTED_PROXIES), addressFactorOf(settings));
  const timeouts = { body: settings.HTTP_BODY_TIMEOUT * 1_000, stall: settings.HTTP_STALL_TIMEOUT * 1_000 };
  const sequencer = new RequestSequencer(handle, connections, timeouts);
  server.on('connection', (socket) => connections.add(socket));
  server.on('request', (request, response) => sequencer.receive(request, response));
  // A request with an Expect header other than 100-continue may be handled as usual (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => sequencer.receive(request, response));
  server.on('connect', ({ url = '/' }: IncomingMessage, socket) => endWithError('METHOD_NOT_ALLOWED', url, socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isOverdue = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (!isOverdue || !sequencer.endOverdueHeaders(socket as Socket)) respondToClientError(error, socket);
  });
  let isClosed = false;
  server.once('close', () => (isClosed = true));
  const timer = setInterval(() => {
    // After a pause of this process, the bytes that arrived during the pause are read before the timeouts are checked.
    setImmediate(() => sequencer.endOverdue());
    // Connections that other sockets have accepted (`ListeningSockets`) can outlive the server.
    if (isClosed && connections.isEmpty) clearInterval(timer);
  }, CHECK_INTERVAL_MS).unref();
  return server;
}

/** Responds to bytes that are not a complete HTTP request. The surface is unknown, because the URL was not parsed. */
function respondToClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const { _httpMessage: response } = socket as { _httpMessage?: { headersSent: boolean } };
  // The response to an earlier request has begun; further bytes would become a part of it.
  if (error.code === 'ECONNRESET' || response?.headersSent) socket.destroy();
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') endWithError('REQUEST_TIMEOUT', '/', socket);
  else if (error.code === 'HPE_HEADER_OVERFLOW') endWithError('HEADERS_TOO_LARGE', '/', socket);
  else endWithError('MALFORMED_REQUEST', '/', socket);
}

function isSocketHandshake({ url = '', headers }: IncomingMessage): boolean {
  const isSocketPath = url.startsWith(SOCKET_IO_PATH) && [undefined, '?'].includes(url[SOCKET_IO_PATH.length]);
  return isSocketPath && headers.upgrade?.toLowerCase() === 'websocket';
}

/** Returns the number of files and connections that the process may have open. */
function openFileLimit(): number {
  // Otherwise the report resolves the addresses of all open connections, which blocks the process while DNS is slow.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : Infinity;
}
