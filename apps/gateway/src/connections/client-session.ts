import type { Socket as NetworkSocket } from 'node:net';
import type { Socket } from 'socket.io';
import type { MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type {
  ClientToServerEvents,
  ServerToClientEvents,
  Hello,
  ReconnectAdvice,
} from '@family-watch/domain/messages/contracts/socket-events';
import type { VerifiedToken } from '@family-watch/platform/auth/token-verifier';
import type { ClientCursor } from '../mailbox/resume.js';
import type { EventRateLimiter } from './client-limits.js';
import { isFinalCloseReason, type Connection, type Channel, type CloseReason } from './connection.js';

/** A connected client, from the handshake until its connection closes. */
export interface ClientSession {
  readonly connection: Connection;
  readonly channel: SocketChannel;
  readonly rateLimiter: EventRateLimiter;
  /**
   * Resolves when `hello` was sent and every earlier event was passed to its handler, so that events are handled in the
   * order of arrival. Never rejects. `undefined` while a new event can be handled without delay.
   */
  eventQueue: Promise<void> | undefined;
  /** Frees what the setup of the connection has acquired; `undefined` before the setup. */
  release?: () => void;
}

/** Makes later events of the session wait for `task`, which never rejects. */
export function blockEventsUntil(session: ClientSession, task: Promise<void>): void {
  const queued = task.then(() => {
    if (session.eventQueue === queued) session.eventQueue = undefined;
  });
  session.eventQueue = queued;
}

/**
 * Data attached to a socket: the results of the handshake, and later the session that is created from these results.
 */
export interface SocketData {
  token: VerifiedToken;
  cursor: ClientCursor;
  session?: ClientSession;
}

export type ClientSocket = Socket<ClientToServerEvents, ServerToClientEvents, Record<string, never>, SocketData>;

/** Members of Engine.IO's transport and of its WebSocket that their type declarations omit. */
interface WebSocketTransport {
  readonly socket?: OpenWebSocket;
}

interface OpenWebSocket {
  readonly readyState: number;
  readonly bufferedAmount: number;
  readonly _socket: NetworkSocket | null;
  send(data: string): void;
  terminate(): void;
}

interface EventPacket {
  id?: number;
  data?: [event: string, ...args: unknown[]];
}

/**
 * Packet types: Engine.IO's type `message` followed by Socket.IO's type. Packets of the default namespace contain no
 * namespace.
 */
const EVENT_PREFIX = '42';
const ACK_PREFIX = '43';
const WEBSOCKET_OPEN = 1;

/**
 * Transport of a connection over one Socket.IO socket. Events and responses bypass Socket.IO's encoder and decoder,
 * which search all data for binary parts, delay a packet until the previous packet was written, and make one system
 * call per packet. This class writes all packets to a client in one turn of the event loop with one system call.
 * Socket.IO still performs the handshake, heartbeats, parsing and closing.
 */
export class SocketChannel implements Channel {
  private isCorked = false;

  /** @param getAdvice - returns the reconnect delays for clients whose connection this node closes now */
  constructor(
    private readonly socket: Socket,
    private readonly getAdvice: () => ReconnectAdvice,
  ) {}

  /** Bytes that Engine.IO buffers until the socket is writable, plus bytes that the socket buffers for the network. */
  get bufferedBytes(): number {
    const queuedPackets = (this.socket.conn as unknown as { writeBuffer: { data?: unknown }[] }).writeBuffer;
    const engineBytes = queuedPackets.reduce((sum, { data }) => sum + (typeof data === 'string' ? data.length : 0), 0);
    return engineBytes + (this.transport.socket?.bufferedAmount ?? 0);
  }

  hello(hello: Hello): void {
    this.send('hello', hello);
  }

  messages(frame: MessagesFrame): void {
    this.send('messages', frame);
  }

  /**
   * Calls `listener` with every event and its arguments. The last argument is the response callback, if the client
   * requests a response.
   */
  onEvent(listener: (event: string, args: readonly unknown[]) => void): void {
    const internals = this.socket as unknown as { onevent: (packet: EventPacket) => void };
    internals.onevent = ({ id, data }) => {
      const [event = '', ...args] = data ?? [];
      if (id !== undefined)
        args.push((response: object) => this.write(`${ACK_PREFIX}${id}${JSON.stringify([response])}`));
      listener(event, args);
    };
  }

  onceDrained(callback: () => void): void {
    const network = this.transport.socket?._socket;
    if (network?.writableNeedDrain) network.once('drain', callback);
    else setImmediate(callback);
  }

  close(reason: CloseReason): void {
    // A client that does not read would not read a close frame either, and its buffered data must be freed.
    if (reason === 'slow reader') this.transport.socket?.terminate();
    // A disconnect packet makes the client library stay disconnected; without it the library reconnects.
    else if (isFinalCloseReason(reason)) this.socket.disconnect(true);
    else {
      this.send('reconnect', this.getAdvice());
      this.socket.conn.close();
    }
  }

  private send<Event extends keyof ServerToClientEvents>(
    event: Event,
    data: Parameters<ServerToClientEvents[Event]>[0],
  ): void {
    this.write(`${EVENT_PREFIX}${JSON.stringify([event, data])}`);
  }

  private write(packet: string): void {
    const webSocket = this.transport.socket;
    if (webSocket?.readyState !== WEBSOCKET_OPEN) return;
    this.corkUntilEndOfTurn(webSocket._socket);
    webSocket.send(packet);
  }

  private corkUntilEndOfTurn(network: NetworkSocket | null): void {
    if (this.isCorked || !network) return;
    this.isCorked = true;
    network.cork();
    setImmediate(() => {
      this.isCorked = false;
      network.uncork();
    });
  }

  private get transport(): WebSocketTransport {
    return this.socket.conn.transport as unknown as WebSocketTransport;
  }
}

/**
 * Releases the upgrade request with its headers and token. Socket.IO would retain the request as long as the
 * connection; the request takes half of the memory of an idle connection.
 */
export function releaseUpgradeRequest(socket: Socket): void {
  const internals = socket as unknown as {
    conn: { request: unknown };
    handshake: Partial<Socket['handshake']>;
  };
  internals.conn.request = undefined;
  internals.handshake = { auth: {} };
}
