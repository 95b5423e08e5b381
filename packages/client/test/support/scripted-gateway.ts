import { createServer } from 'node:http';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';
import type { Socket } from 'socket.io';
import type { MessageEnvelope, MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import type {
  EventResponse,
  Hello,
  ReconnectAdvice,
  SocketAuth,
} from '@family-watch/domain/messages/contracts/socket-events';

const EPOCH = 1;

type Said = { event: string; payload: unknown };

/** A gateway that says what a test tells it to, over real sockets, and remembers what it was told. */
export class ScriptedGateway {
  readonly handshakes: SocketAuth[] = [];
  readonly said: Said[] = [];
  /** A token that is refused at the handshake. */
  refusedToken: string | undefined;
  /** Answers to events; anything else is answered with ok. */
  answer: ((event: string, payload: unknown) => EventResponse | 'silence') | undefined;
  head = 0;
  heartbeatInterval = 30;
  reconnect = { minDelay: 10, maxDelay: 50 };

  private constructor(
    private readonly http: HttpServer,
    private readonly io: Server,
  ) {
    io.use((socket, next) => this.admit(socket, next));
    io.on('connection', (socket) => this.greet(socket));
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

  saidOf(event: string): unknown[] {
    return this.said.filter((said) => said.event === event).map(({ payload }) => payload);
  }

  /** To every client that is connected now. */
  send(frame: MessagesFrame): void {
    this.io.emit('messages', frame);
  }

  /** Durable messages numbered after `after`, in one range. */
  sendRange(after: number, numbers: number[]): void {
    const messages = numbers.map((seq): MessageEnvelope => ({
      id: `message ${seq}`,
      kind: 'ContactsChangeNoticeMessage',
      seq,
      time: 0,
      from: { type: 'system', id: '' },
      payload: { did: 1, version: seq, change: 'UPDATED', refId: 'r' },
    }));
    this.head = Math.max(this.head, ...numbers);
    this.send({ after, through: numbers.at(-1) ?? after, messages });
  }

  /** Says when to come back. */
  adviseAll(advice: ReconnectAdvice): void {
    this.io.emit('reconnect', advice);
  }

  /** Ends all connections; `final` as after a token that ended. */
  dropAll(final: boolean): void {
    for (const socket of this.io.sockets.sockets.values()) {
      if (final) socket.disconnect(true);
      else socket.conn.close();
    }
  }

  async stop(): Promise<void> {
    await this.io.close();
  }

  private admit(socket: Socket, next: (error?: Error) => void): void {
    const auth = socket.handshake.auth as SocketAuth;
    this.handshakes.push({ ...auth });
    if (auth.token !== this.refusedToken) next();
    else next(Object.assign(new Error('refused'), { data: { code: 401002, reason: 'TOKEN_INVALID' } }));
  }

  private greet(socket: Socket): void {
    socket.onAny((event: string, payload: unknown, acknowledge?: (answer: EventResponse) => void) => {
      this.said.push({ event, payload });
      const answer = this.answer?.(event, payload) ?? { ok: true, time: 0 };
      if (answer !== 'silence') acknowledge?.(answer);
    });
    const { head, heartbeatInterval, reconnect } = this;
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
