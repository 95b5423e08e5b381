import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientConnection, ConnectionTable } from './server/connection-table.js';
import { endWithError, respondError } from './error-response.js';

/** Maximum number of pipelined requests of a connection that wait for the response to an earlier request. */
const MAX_WAITING_REQUESTS = 8;

/**
 * Minimum rate at which a client must send a body and read a response, bytes per millisecond. A watch on a 2G network
 * sends 1 to 3 KB/s.
 */
const MIN_BYTES_PER_MS = 1;

/** Timeouts in milliseconds. */
export interface RequestTimeouts {
  /**
   * Time for the body of a request that is no upload. A client that sends at the minimum rate gets more time.
   */
  body: number;
  /** Time without progress after which an upload ends; minimum time for a client to read a response. */
  stall: number;
}

/** A request that was passed to its handler, until the client has sent the request and read the response. */
interface Exchange {
  readonly connection: ClientConnection;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt: number;
  /** When bytes of the body last arrived, and the number of bytes that the connection had received by then. */
  progress: { at: number; bytes: number };
  /** When the client must have read the response; set when the handler has ended the response. */
  readBy?: number;
}

/** Requests whose body may take any time as long as bytes arrive, see {@link allowSlowBody}. */
const slowBodyRequests = new WeakSet<IncomingMessage>();

/**
 * Lets the body of a request take any time as long as bytes arrive, see {@link RequestTimeouts.stall}. The handler must
 * limit the duration and the size of the whole upload.
 */
export function allowSlowBody(request: IncomingMessage): void {
  slowBodyRequests.add(request);
}

/** Responses whose handlers limit the number of bytes that are buffered for the client. */
const boundedResponses = new WeakSet<ServerResponse>();

/**
 * Excludes a response from the limit of unread bytes of all connections. The handler must limit the number of bytes
 * that are buffered for the client, the number of such responses, and the time that the client has to read them.
 */
export function excludeFromUnreadLimit(response: ServerResponse): void {
  boundedResponses.add(response);
}

/**
 * Maximum number of overdue bodies, and of overdue headers, that one check ends: `count`, or this fraction of all that
 * are overdue if that is more, so that they do not accumulate. Ending a connection takes about 0.1 ms, and its client may connect
 * again at once. Without the maximum, thousands of requests that began together would block the event loop when their
 * time elapses.
 */
const ENDED_PER_CHECK = { count: 32, fraction: 1 / 32 };

/** Maximum delay of a timer, milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Returns the time that a client has to read a response of this size, milliseconds. */
export function readTimeout(bytes: number, stallTimeout: number): number {
  return Math.min(stallTimeout + Math.ceil(bytes / MIN_BYTES_PER_MS), MAX_TIMEOUT_MS);
}

/**
 * Passes the requests of each connection to the handler one after another (RFC 9112, 9.3.2), and ends connections whose
 * client does not send the body of a request or does not read the response in time. A connection ends
 * when more than eight of its pipelined requests wait.
 */
export class RequestSequencer {
  private readonly exchanges = new Set<Exchange>();
  private readonly currentExchanges = new WeakMap<ClientConnection, Exchange>();
  /** When the headers of connections without a request in progress became overdue. */
  private readonly overdueHeaders = new Map<ClientConnection, number>();
  private readonly waitingRequests = new WeakMap<ClientConnection, [IncomingMessage, ServerResponse][]>();

  constructor(
    private readonly handle: RequestListener,
    private readonly connections: ConnectionTable,
    private readonly timeouts: RequestTimeouts,
  ) {}

  receive(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.find(request.socket);
    // The connection has been closed, but the parser still delivers requests that arrived before.
    if (!connection) return;
    if (!this.currentExchanges.has(connection)) {
      this.start(connection, request, response);
      return;
    }
    const queue = this.waitingRequests.get(connection) ?? [];
    this.waitingRequests.set(connection, queue);
    queue.push([request, response]);
    if (queue.length > MAX_WAITING_REQUESTS) this.connections.close(connection);
  }

  /**
   * Lets one of the next checks end a connection whose headers are overdue, unless they arrive before.
   *
   * @returns false if a request of the connection is in progress; then the caller must end the connection
   */
  endOverdueHeaders(socket: Socket): boolean {
    const connection = this.connections.find(socket);
    if (!connection || this.currentExchanges.has(connection)) return false;
    this.overdueHeaders.set(connection, performance.now());
    return true;
  }

  /** Ends connections whose client exceeds a timeout. Must be called at short intervals. */
  endOverdue(now = performance.now()): void {
    const overdue: Exchange[] = [];
    for (const exchange of this.exchanges) {
      const { connection, request, response } = exchange;
      if (connection.socket.destroyed || (request.complete && response.closed)) this.exchanges.delete(exchange);
      else if (!request.complete && this.isBodyOverdue(exchange, now)) overdue.push(exchange);
      else if (exchange.readBy !== undefined && now > exchange.readBy) this.connections.close(connection);
      else if (response.headersSent) this.countUnread(exchange);
    }
    for (const exchange of overdue.slice(0, endedPerCheck(overdue.length))) this.end(exchange);
    this.endConnectionsWithoutHeaders();
  }

  private endConnectionsWithoutHeaders(): void {
    let remaining = endedPerCheck(this.overdueHeaders.size);
    for (const [connection, overdueSince] of this.overdueHeaders) {
      if (remaining === 0) return;
      this.overdueHeaders.delete(connection);
      // The headers have arrived in the meantime, or the client has closed the connection.
      if (connection.activeAt > overdueSince || connection.socket.destroyed) continue;
      remaining -= 1;
      endWithError('REQUEST_TIMEOUT', '/', connection.socket);
    }
  }

  private start(connection: ClientConnection, request: IncomingMessage, response: ServerResponse): void {
    const now = performance.now();
    const progress = { at: now, bytes: request.socket.bytesRead };
    const exchange: Exchange = { connection, request, response, startedAt: now, progress };
    this.exchanges.add(exchange);
    this.currentExchanges.set(connection, exchange);
    connection.activeAt = now;
    connection.request = request;
    response.once('prefinish', () => this.onResponseEnded(exchange));
    response.once('close', () => this.onResponseClosed(exchange));
    if (hasOneHost(request)) this.handle(request, response);
    else respondError('MALFORMED_REQUEST', request.url ?? '/', response, { Connection: 'close' });
  }

  private onResponseEnded(exchange: Exchange): void {
    const { connection } = exchange;
    const { socket } = connection;
    delete connection.request;
    connection.activeAt = performance.now();
    this.countUnread(exchange);
    if (connection.unreadBytes === 0) return;
    exchange.readBy = connection.activeAt + readTimeout(connection.unreadBytes, this.timeouts.stall);
    // The socket timeout ends the connection of a client that reads nothing; `readBy` is the deadline of a client that
    // reads too slowly.
    socket.setTimeout(this.timeouts.stall);
  }

  private onResponseClosed(exchange: Exchange): void {
    const { connection, request } = exchange;
    delete connection.request;
    connection.activeAt = performance.now();
    this.currentExchanges.delete(connection);
    delete exchange.readBy;
    // If the handler responds before the body is complete, the rest of the body still has to arrive.
    if (request.complete) this.exchanges.delete(exchange);
    this.countUnread(exchange);
    const next = this.waitingRequests.get(connection)?.shift();
    if (!next || connection.socket.destroyed) return;
    connection.socket.setTimeout(0);
    this.start(connection, ...next);
  }

  private countUnread({ connection, response }: Exchange): void {
    if (!boundedResponses.has(response)) this.connections.countUnread(connection);
  }

  private isBodyOverdue(exchange: Exchange, now: number): boolean {
    const { request, startedAt, progress } = exchange;
    const bytes = request.socket.bytesRead;
    if (!slowBodyRequests.has(request)) {
      const received = bytes - progress.bytes;
      return now - startedAt > this.timeouts.body + received / MIN_BYTES_PER_MS;
    }
    // Received bytes that the handler has not read yet count as progress: the client may have to wait for the handler.
    if (bytes !== progress.bytes || request.readableLength > 0) {
      exchange.progress = { at: now, bytes };
      exchange.connection.activeAt = now;
    }
    return now - exchange.progress.at > this.timeouts.stall;
  }

  private end({ connection, request, response }: Exchange): void {
    if (response.headersSent) this.connections.close(connection);
    else endWithError('REQUEST_TIMEOUT', request.url ?? '/', connection.socket);
  }
}

function endedPerCheck(overdueCount: number): number {
  return Math.max(ENDED_PER_CHECK.count, Math.ceil(overdueCount * ENDED_PER_CHECK.fraction));
}

/**
 * Returns whether the request has exactly one Host header, or is an HTTP/1.0 request without this header (RFC 9112,
 * 3.2).
 */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersion === '1.0');
}
