import type { INestApplication } from '@nestjs/common';
import { AbstractWsAdapter } from '@nestjs/websockets';
import { Server } from 'socket.io';
import { Environment } from '@family-watch/platform/config/environment';
import { PacketFilter } from '../../protocol/packet-filter.js';

const MAX_FRAME_BYTES = 64 * 1_024;
/** Maximum number of fragments per frame: a buffered fragment takes far more memory than its bytes. */
const MAX_FRAGMENTS = 64;
const MAX_BUFFERED_CHUNKS = 2_048;
/** Milliseconds from the opened WebSocket until the CONNECT packet with the token must arrive. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Milliseconds that clients get for the WebSocket close handshake at shutdown. A lost client never completes it. */
const CLOSE_TIMEOUT_MS = 2_000;

type WebSocketServerClass = new (options: object) => object;

/** Parts of Engine.IO that its type declarations omit. */
interface EngineInternals {
  readonly opts: { wsEngine: WebSocketServerClass };
  on(event: 'connection', listener: (connection: EngineConnection) => void): void;
}

interface WebSocket {
  once(event: 'close', listener: () => void): void;
  terminate(): void;
}

interface EngineConnection {
  readonly transport: { readonly socket?: WebSocket };
  on(event: 'packet', listener: (packet: { type: string; data?: unknown }) => void): void;
  close(discard: boolean): void;
}

/**
 * Socket.IO on the app's own HTTP server and port, as the message contract requires. Replaces Nest's `IoAdapter`, which
 * depends on a second copy of Socket.IO, and whose binding of handlers the gateway does not use.
 */
export class SocketIoAdapter extends AbstractWsAdapter {
  private readonly environment: Environment;
  private readonly webSockets = new Set<WebSocket>();

  constructor(app: INestApplication) {
    super(app.getHttpServer() as object);
    this.environment = app.get(Environment, { strict: false });
  }

  create(): Server {
    const server = new Server(this.httpServer as ConstructorParameters<typeof Server>[0], {
      path: '/socket.io/',
      serveClient: false,
      transports: ['websocket'],
      allowUpgrades: false,
      perMessageDeflate: false,
      maxHttpBufferSize: MAX_FRAME_BYTES,
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
    const engine = server.engine as unknown as EngineInternals;
    this.filterPackets(engine);
    this.trackWebSockets(engine);
    return server;
  }

  /** Closes all sockets and resolves when the HTTP server has closed, which waits for its other connections as well. */
  override async close(server: Server): Promise<void> {
    const timer = setTimeout(() => this.webSockets.forEach((webSocket) => webSocket.terminate()), CLOSE_TIMEOUT_MS);
    await server.close();
    clearTimeout(timer);
  }

  /**
   * Binds nothing. Nest would create one RxJS pipeline per message kind on every socket and would send no response when
   * a handler fails or a kind is unknown. The gateway registers one listener per socket, which passes all events to the
   * `ClientEventDispatcherService`.
   */
  bindMessageHandlers(): void {}

  private trackWebSockets(engine: EngineInternals): void {
    engine.on('connection', ({ transport: { socket } }) => {
      if (socket === undefined) return;
      this.webSockets.add(socket);
      socket.once('close', () => this.webSockets.delete(socket));
    });
  }

  /** Filters packets before Socket.IO parses them, including those of unauthenticated clients. */
  private filterPackets(engine: EngineInternals): void {
    engine.opts.wsEngine = withFragmentLimits(engine.opts.wsEngine);
    engine.on('connection', (connection) => {
      const filter = new PacketFilter(this.environment.RATE_LIMIT_EVENTS, () => performance.now());
      connection.on('packet', ({ type, data }) => {
        if (filter.accepts(type, data)) return;
        // First closes the Engine.IO connection, because Socket.IO is about to parse the packet; then terminates the
        // TCP connection without a close handshake.
        connection.close(true);
        connection.transport.socket?.terminate();
      });
    });
  }
}

/**
 * Returns a WebSocket server class with limits on fragments. Engine.IO creates its WebSocket server when the HTTP
 * server listens, and passes it no limit but the frame size.
 */
function withFragmentLimits(Base: WebSocketServerClass): WebSocketServerClass {
  return class BoundedWebSocketServer extends Base {
    constructor(options: object) {
      super({ ...options, maxFragments: MAX_FRAGMENTS, maxBufferedChunks: MAX_BUFFERED_CHUNKS });
    }
  };
}
