import type { Socket } from 'socket.io';
import type { MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type {
  ClientToServerEvents,
  Hello,
  ReconnectAdvice,
  ServerToClientEvents,
} from '@family-watch/domain/messages/contracts/socket-events';
import type { VerifiedToken } from '@family-watch/platform/auth/token-verifier';
import { isFinal } from '../../protocol/channel.js';
import type { Channel, CloseReason } from '../../protocol/channel.js';
import type { ClientPosition } from '../../protocol/resume.js';
import type { ClientSession } from './client-session.js';

/** What the handshake found out, and the session that came of it. */
export interface SocketData {
  token: VerifiedToken;
  position: ClientPosition;
  session?: ClientSession;
}

export type ClientSocket = Socket<ClientToServerEvents, ServerToClientEvents, Record<string, never>, SocketData>;

/** The parts of Engine.IO's transport that its types keep to themselves. */
interface WebSocketTransport {
  readonly writable: boolean;
  readonly socket?: { readonly bufferedAmount: number; terminate(): void };
  once(event: 'ready', callback: () => void): void;
}

/** A connection's transport over one Socket.IO socket. */
export class SocketChannel implements Channel {
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

  onceDrained(callback: () => void): void {
    if (this.transport.writable) setImmediate(callback);
    else this.transport.once('ready', callback);
  }

  close(reason: CloseReason): void {
    // Who does not read would not read a goodbye either, and what is buffered for them must go.
    if (reason === 'slow reader') this.transport.socket?.terminate();
    // A disconnect packet tells the client library to stay away; without one it comes back by itself.
    else if (isFinal(reason)) this.socket.disconnect(true);
    else {
      this.send('reconnect', this.advice());
      this.socket.conn.close();
    }
  }

  /**
   * An event of the default namespace as Socket.IO's protocol writes it: packet type 2 and the JSON of name and data.
   * Its own `emit` would first look through all of the data for bytes, which no message has.
   */
  private send<Event extends keyof ServerToClientEvents>(
    event: Event,
    data: Parameters<ServerToClientEvents[Event]>[0],
  ): void {
    this.socket.conn.write(`2${JSON.stringify([event, data])}`);
  }

  private get transport(): WebSocketTransport {
    return this.socket.conn.transport;
  }
}

/**
 * Lets go of the request that opened the connection, with its headers and the token: Socket.IO would keep them as
 * long as the connection lasts, which for idle ones is half of their memory.
 */
export function releaseRequest(socket: ClientSocket): void {
  const held = socket as unknown as {
    conn: { request: unknown };
    handshake: Partial<ClientSocket['handshake']>;
  };
  held.conn.request = undefined;
  held.handshake = { auth: {} };
}
