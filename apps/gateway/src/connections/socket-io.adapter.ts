import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AbstractWsAdapter } from '@nestjs/websockets';
import { Server as EngineServer } from 'engine.io';
import { Server } from 'socket.io';
import { WebSocket, WebSocketServer, type ServerOptions } from 'ws';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { Environment } from '@family-watch/platform/config/environment';
import { clientAddressReader } from '@family-watch/platform/http/server/client-address';
import { endWithError } from '@family-watch/platform/http/error-response';
import { SOCKET_IO_PATH } from '@family-watch/platform/http/route-table';
import { PacketFilter, ReadPacer } from './client-limits.js';
import { ClientEventDispatcherService } from './client-event-dispatcher.service.js';
import type { ClientSocket } from './client-session.js';
import { RefusedHandshakesService } from './refused-handshakes.service.js';
import { UpgradeQueue } from './upgrade-queue.js';

const MAX_FRAME_BYTES = 64 * 1_024;
/** Options of the WebSocket server, some of which its type declarations omit. */
const WEB_SOCKET_LIMITS = {
  /** Maximum number of fragments per message: a buffered fragment takes far more memory than its bytes. */
  maxFragments: 64,
  /** Maximum number of received chunks that wait to be parsed. */
  maxBufferedChunks: 2_048,
  /** Milliseconds that a client has to answer the close frame; then its TCP connection is closed. */
  closeTimeout: 2_000,
};
/** Milliseconds from the opened WebSocket until the CONNECT packet with the token must arrive. */
const CONNECT_TIMEOUT_MS = 10_000;

interface EngineConnection {
  readonly transport: { readonly socket?: Pick<WebSocket, 'terminate' | 'pause' | 'resume'> };
  once(event: 'close', listener: () => void): void;
  on(event: 'packet', listener: (packet: { type: string; data?: unknown }) => void): void;
  close(discard: boolean): void;
}

/**
 * Socket.IO on the app's own HTTP server and port, as the message contract requires. Replaces Nest's `IoAdapter`, which
 * depends on a second copy of Socket.IO.
 */
export class SocketIoAdapter extends AbstractWsAdapter {
  private readonly environment: Environment;
  private readonly dispatcher: ClientEventDispatcherService;
  private readonly refusals: RefusedHandshakesService;
  private hasConnectionListener = false;

  constructor(app: NestFastifyApplication) {
    super(app.getHttpServer());
    this.refusals = app.get(RefusedHandshakesService, { strict: false });
    rejectOtherTransports(app);
    this.environment = app.get(Environment, { strict: false });
    this.dispatcher = app.get(ClientEventDispatcherService, { strict: false });
  }

  create(): Server {
    // Engine.IO receives handshakes only. An Engine.IO server that is attached to the HTTP server would also respond to
    // other requests and upgrades, and `Server.close` would wait for every HTTP connection.
    const engine = new EngineServer({
      transports: ['websocket'],
      allowUpgrades: false,
      perMessageDeflate: false,
      maxHttpBufferSize: MAX_FRAME_BYTES,
      wsEngine: BoundedWebSocketServer,
    });
    const readAddress = clientAddressReader(this.environment);
    engine.on('connection_error', ({ req }: { req: IncomingMessage }) => {
      this.refusals.count(readAddress(req), 'MALFORMED_REQUEST');
      rejectHandshake(req, req.socket);
    });
    this.filterPackets(engine);
    const upgrades = new UpgradeQueue((request, socket, head) => engine.handleUpgrade(request, socket, head));
    (this.httpServer as HttpServer).on('upgrade', upgrades.add);
    return new Server({ connectTimeout: CONNECT_TIMEOUT_MS }).bind(engine);
  }

  /** Binds only the first gateway: the callbacks of all gateways report connections to the same subject. */
  override bindClientConnect(server: Server, callback: (socket: ClientSocket) => void): void {
    if (!this.hasConnectionListener) super.bindClientConnect(server, callback);
    this.hasConnectionListener = true;
  }

  /**
   * Binds one listener per socket, which passes all events to the methods with `@SubscribeMessage`. Nest's own
   * callbacks are not used: they run a pipeline per message, and send no response when a handler fails or a kind is
   * unknown.
   */
  bindMessageHandlers({ data: { session } }: ClientSocket): void {
    session?.channel.onEvent((event, args) => this.dispatcher.dispatch(session, event, args));
  }

  /** Filters and paces packets before Socket.IO parses them, including those of unauthenticated clients. */
  private filterPackets(engine: EngineServer): void {
    const { RATE_LIMIT_EVENTS } = this.environment;
    engine.on('connection', (connection: EngineConnection) => {
      const filter = new PacketFilter(RATE_LIMIT_EVENTS, () => performance.now());
      const pacer = new ReadPacer(RATE_LIMIT_EVENTS, () => performance.now());
      let resumption: NodeJS.Timeout | undefined;
      // A paused connection that is closed stays paused, so that no more is read until it answers the close frame.
      connection.once('close', () => clearTimeout(resumption));
      connection.on('packet', ({ type, data }) => {
        const delay = pacer.consume(lengthOf(data));
        if (delay > 0) {
          clearTimeout(resumption);
          resumption = pauseReading(connection, delay);
        }
        if (filter.accepts(type, data)) return;
        // First closes the Engine.IO connection, because Socket.IO is about to parse the packet; then terminates the
        // TCP connection without a close handshake.
        connection.close(true);
        connection.transport.socket?.terminate();
      });
    });
  }
}

/** Returns about as many bytes as the content of a packet has. */
function lengthOf(data: unknown): number {
  return typeof data === 'string' || Buffer.isBuffer(data) ? data.length : 0;
}

function pauseReading({ transport: { socket } }: EngineConnection, milliseconds: number): NodeJS.Timeout {
  socket?.pause();
  return setTimeout(() => socket?.resume(), milliseconds).unref();
}

/** Close code of a frame that is larger than `maxHttpBufferSize` (RFC 6455, 7.4.1). */
const MESSAGE_TOO_BIG = 1_009;

/** WebSocket that names the reason for which it closes the connection, which the client's library shows. */
class ExplainingWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    const limit = `BODY_TOO_LARGE: a frame may have at most ${MAX_FRAME_BYTES} bytes`;
    super.close(code, code === MESSAGE_TOO_BIG ? limit : reason);
  }
}

/**
 * WebSocket server with limits that Engine.IO cannot set. Malformed handshakes get an error response of the service.
 */
class BoundedWebSocketServer extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({ ...options, ...WEB_SOCKET_LIMITS, WebSocket: ExplainingWebSocket });
    this.on('wsClientError', (_, socket: Duplex, request: IncomingMessage) => rejectHandshake(request, socket));
  }
}

/**
 * Responds to requests on the path of the socket that are no WebSocket handshakes: those of clients that begin with HTTP
 * long polling, and handshakes from which a proxy has removed the Upgrade header.
 */
function rejectOtherTransports(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.get(SOCKET_IO_PATH, async (_request, reply) => {
    void reply.header('upgrade', 'websocket');
    throw new ServiceError('UPGRADE_REQUIRED');
  });
}

function rejectHandshake({ url = SOCKET_IO_PATH }: IncomingMessage, socket: Duplex): void {
  endWithError('MALFORMED_REQUEST', url, socket);
}
