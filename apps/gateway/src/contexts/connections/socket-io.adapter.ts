import type { INestApplication } from '@nestjs/common';
import { AbstractWsAdapter } from '@nestjs/websockets';
import { Server } from 'socket.io';
import { Environment } from '@family-watch/platform/config/environment';
import { PacketFilter } from '../../protocol/packet-filter.js';

const MAX_FRAME_BYTES = 64 * 1_024;
/** Parts that a frame may come in: what waits for its end is kept in pieces, each far larger than its bytes. */
const MAX_FRAGMENTS = 64;
const MAX_CHUNKS = 2_048;
/** Milliseconds from the opened WebSocket to the packet that says who it is. */
const CONNECT_TIMEOUT_MS = 10_000;

type WebSocketServerClass = new (options: object) => object;

/** Parts of Engine.IO that its types keep to themselves. */
interface EngineParts {
  readonly opts: { wsEngine: WebSocketServerClass };
  on(event: 'connection', listener: (connection: EngineConnection) => void): void;
}

interface EngineConnection {
  readonly transport: { readonly socket?: { terminate(): void } };
  on(event: 'packet', listener: (packet: { type: string; data?: unknown }) => void): void;
  close(discard: boolean): void;
}

/**
 * Socket.IO on the app's own HTTP server and port, as the message contract wants it. Not Nest's `IoAdapter`, which
 * brings a second copy of Socket.IO and whose work, binding handlers, is what is left out here.
 */
export class SocketIoAdapter extends AbstractWsAdapter {
  private readonly environment: Environment;

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
    this.guardPackets(server.engine as unknown as EngineParts);
    return server;
  }

  /**
   * Nest would put one RxJS pipeline per kind on every socket, and answers nothing when a handler fails or a kind is
   * unknown. Events go from one listener per socket straight to the `ClientEventDispatcherService` instead.
   */
  bindMessageHandlers(): void {}

  /** Before Socket.IO parses anything, and also for those who have not said who they are. */
  private guardPackets(engine: EngineParts): void {
    engine.opts.wsEngine = boundedParts(engine.opts.wsEngine);
    engine.on('connection', (connection) => {
      const guard = new PacketFilter(this.environment.RATE_LIMIT_EVENTS, () => performance.now());
      connection.on('packet', ({ type, data }) => {
        if (guard.accepts(type, data)) return;
        // Closed for Socket.IO, which is about to parse the packet; then the network's end, without waiting for theirs.
        connection.close(true);
        connection.transport.socket?.terminate();
      });
    });
  }
}

/** Engine.IO passes on the size of a frame alone, and makes its WebSocket server when the HTTP server listens. */
function boundedParts(Base: WebSocketServerClass): WebSocketServerClass {
  return class BoundedWebSocketServer extends Base {
    constructor(options: object) {
      super({ ...options, maxFragments: MAX_FRAGMENTS, maxBufferedChunks: MAX_CHUNKS });
    }
  };
}
