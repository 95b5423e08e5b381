import type { Socket as NetworkSocket } from 'node:net';
import type { Socket } from 'socket.io';
import type { MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type {
  ClientToServerEvents,
  Hello,
  ReconnectAdvice,
  ServerToClientEvents,
} from '@family-watch/domain/messages/contracts/socket-events';
import type { VerifiedToken } from '@family-watch/platform/auth/token-verifier';
import { isFinalCloseReason } from '../../protocol/channel.js';
import type { Channel, CloseReason } from '../../protocol/channel.js';
import type { ClientCursor } from '../../protocol/resume.js';
import type { ClientSession } from './client-session.js';

/** What the handshake found out, and the session that came of it. */
export interface SocketData {
  token: VerifiedToken;
  position: ClientCursor;
  session?: ClientSession;
}

export type ClientSocket = Socket<ClientToServerEvents, ServerToClientEvents, Record<string, never>, SocketData>;

/** The parts of Engine.IO and its WebSocket that their types keep to themselves. */
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
  data?: [event: string, ...parts: unknown[]];
}

/** Types of packets: Engine.IO's `message`, then Socket.IO's, whose default namespace has no name. */
const EVENT = '42';
const ACK = '43';
const WEBSOCKET_OPEN = 1;

/**
 * A connection's transport over one Socket.IO socket. Events and answers go past Socket.IO's own way in and out, which
 * searches all data for bytes, keeps packets back until the one before has left, and makes a system call of each: here
 * everything that one turn of the event loop says to a client leaves in one. Handshake, heartbeat, parsing and closing
 * are Socket.IO's.
 */
export class SocketChannel implements Channel {
  private isCorked = false;

  /** @param advice - when clients should come back if this node ended them all now */
  constructor(
    private readonly socket: ClientSocket,
    private readonly advice: () => ReconnectAdvice,
  ) {}

  /** What waits in Engine.IO for the socket to be writable, and in the socket for the network. */
  get bufferedBytes(): number {
    const waiting = (this.socket.conn as unknown as { writeBuffer: { data?: unknown }[] }).writeBuffer;
    const inEngine = waiting.reduce((sum, { data }) => sum + (typeof data === 'string' ? data.length : 0), 0);
    return inEngine + (this.transport.socket?.bufferedAmount ?? 0);
  }

  hello(hello: Hello): void {
    this.send('hello', hello);
  }

  messages(frame: MessagesFrame): void {
    this.send('messages', frame);
  }

  /** `listener` gets every event with what followed its name; the last part is the answer, if the client wants one. */
  onEvent(listener: (event: string, parts: readonly unknown[]) => void): void {
    const receiving = this.socket as unknown as { onevent: (packet: EventPacket) => void };
    receiving.onevent = ({ id, data }) => {
      const [event = '', ...parts] = data ?? [];
      if (id !== undefined) parts.push((answer: object) => this.write(`${ACK}${id}${JSON.stringify([answer])}`));
      listener(event, parts);
    };
  }

  onceDrained(callback: () => void): void {
    const network = this.transport.socket?._socket;
    if (network?.writableNeedDrain) network.once('drain', callback);
    else setImmediate(callback);
  }

  close(reason: CloseReason): void {
    // Who does not read would not read a goodbye either, and what is buffered for them must go.
    if (reason === 'slow reader') this.transport.socket?.terminate();
    // A disconnect packet tells the client library to stay away; without one it comes back by itself.
    else if (isFinalCloseReason(reason)) this.socket.disconnect(true);
    else {
      this.send('reconnect', this.advice());
      this.socket.conn.close();
    }
  }

  private send<Event extends keyof ServerToClientEvents>(
    event: Event,
    data: Parameters<ServerToClientEvents[Event]>[0],
  ): void {
    this.write(`${EVENT}${JSON.stringify([event, data])}`);
  }

  private write(packet: string): void {
    const webSocket = this.transport.socket;
    if (webSocket?.readyState !== WEBSOCKET_OPEN) return;
    this.corkForTurn(webSocket._socket);
    webSocket.send(packet);
  }

  private corkForTurn(network: NetworkSocket | null): void {
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
 * Lets go of the request that opened the connection, with its headers and the token: Socket.IO would keep them as
 * long as the connection lasts, which for idle ones is half of their memory.
 */
export function releaseUpgradeRequest(socket: ClientSocket): void {
  const held = socket as unknown as {
    conn: { request: unknown };
    handshake: Partial<ClientSocket['handshake']>;
  };
  held.conn.request = undefined;
  held.handshake = { auth: {} };
}
