import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import type {
  EventResponse,
  Hello,
  ReconnectAdvice,
  SocketAuth,
} from '@family-watch/domain/messages/contracts/socket-events';

const EPOCH = 1;

type ReceivedEvent = { event: string; payload: unknown };

/**
 * A test double of the gateway that listens on a real socket, sends the frames that a test specifies, and records
 * handshakes and events.
 */
export class ScriptedGateway {
  readonly handshakes: SocketAuth[] = [];
  readonly receivedEvents: ReceivedEvent[] = [];
  /** Token for which the gateway rejects the handshake. */
  rejectedToken: string | undefined;
  /** Returns the response to an event, or `silence` for no response; if undefined, every event succeeds. */
  createResponse: ((event: string, payload: unknown) => EventResponse | 'silence') | undefined;
  mailboxHead = 0;
  /** Heartbeat interval in `hello`, seconds. */
  heartbeatInterval = 30;
  reconnectAdvice = { minDelay: 10, maxDelay: 50 };

  private constructor(
    private readonly http: HttpServer,
    private readonly io: Server,
  ) {
    io.use((socket, next) => this.authenticate(socket, next));
    io.on('connection', (socket) => this.onConnection(socket));
  }

  static async start(): Promise<ScriptedGateway> {
    const http = createServer();
    const gateway = new ScriptedGateway(http, new Server(http, { transports: ['websocket'] }));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  receivedPayloads(name: string): unknown[] {
    return this.receivedEvents.filter(({ event }) => event === name).map(({ payload }) => payload);
  }

  /** Sends a frame to every connected client. */
  send(frame: MessagesFrame): void {
    this.io.emit('messages', frame);
  }

  /** Sends durable messages with these sequence numbers, in one range that begins after `after`. */
  sendRange(after: number, seqs: number[]): void {
    const messages = seqs.map((seq): MessageEnvelope => ({
      id: `message ${seq}`,
      kind: 'ContactsChangeNoticeMessage',
      seq,
      time: 0,
      from: { type: 'system', id: '' },
      payload: { did: 1, version: seq, change: 'UPDATED', refId: 'r' },
    }));
    this.mailboxHead = Math.max(this.mailboxHead, ...seqs);
    this.send({ after, through: seqs.at(-1) ?? after, messages });
  }

  /** Sends reconnection advice to every connected client. */
  sendAdviceToAll(advice: ReconnectAdvice): void {
    this.io.emit('reconnect', advice);
  }

  /**
   * Closes all connections.
   *
   * @param isByService - true for a disconnect that the service sends, for example after a token has expired; false for
   *   a lost connection
   */
  disconnectAll(isByService: boolean): void {
    for (const socket of this.io.sockets.sockets.values()) {
      if (isByService) socket.disconnect(true);
      else socket.conn.close();
    }
  }

  async stop(): Promise<void> {
    await this.io.close();
  }

  private authenticate(socket: Socket, next: (error?: Error) => void): void {
    const auth = socket.handshake.auth as SocketAuth;
    this.handshakes.push({ ...auth });
    if (auth.token !== this.rejectedToken) next();
    else next(Object.assign(new Error('refused'), { data: { code: 401002, reason: 'TOKEN_INVALID' } }));
  }

  private onConnection(socket: Socket): void {
    socket.onAny((event: string, payload: unknown, acknowledge?: (response: EventResponse) => void) => {
      this.receivedEvents.push({ event, payload });
      const response = this.createResponse?.(event, payload) ?? { ok: true, time: 0 };
      if (response !== 'silence') acknowledge?.(response);
    });
    const { mailboxHead: head, heartbeatInterval, reconnectAdvice: reconnect } = this;
    const hello: Hello = {
      version: 2,
      principal: 'user:1',
      sessionId: 's',
      epoch: EPOCH,
      serverTime: 0,
      head,
      heartbeatInterval,
      reconnect,
    };
    socket.emit('hello', hello);
  }
}
