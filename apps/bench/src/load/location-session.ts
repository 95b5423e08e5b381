import type { MessagesFrame } from '@family-watch/domain/messages/contracts/envelope';
import { SocketIoConnection } from './socket-io-connection.js';
import type { ServerEndpoint } from './websocket.js';

const HEARTBEAT_MS = 25_000;

/** A watch that reports positions, or a parent who is shown them; it stays connected and acknowledges what it gets. */
export class LocationSession {
  private timer: NodeJS.Timeout | undefined;
  lost = false;

  private constructor(
    private readonly connection: SocketIoConnection,
    private readonly heartbeat: string,
  ) {}

  static async open(
    endpoint: ServerEndpoint,
    token: string,
    { heartbeat = '{}', onFrame }: { heartbeat?: string; onFrame?: (frame: MessagesFrame) => void },
  ): Promise<LocationSession> {
    const connection = await SocketIoConnection.open(endpoint, { token });
    const session = new LocationSession(connection, heartbeat);
    connection.onClose = () => (session.lost = true);
    await new Promise<void>((resolve) => {
      connection.onEvent = (event, argument) => {
        if (event === 'hello') resolve();
        if (event !== 'messages') return;
        const frame = argument as MessagesFrame;
        if (frame.through !== undefined) connection.emit('AckMessage', `{"seq":${frame.through}}`, () => undefined);
        onFrame?.(frame);
      };
    });
    session.beat();
    session.timer = setInterval(() => session.beat(), HEARTBEAT_MS);
    return session;
  }

  /** @param points - JSON text of the list */
  report(points: string, onAnswer: (answer: unknown) => void): void {
    this.connection.emit('LocationPointChangeMessage', `{"points":${points}}`, onAnswer);
  }

  close(): void {
    clearInterval(this.timer);
    this.connection.close();
  }

  private beat(): void {
    this.connection.emit('HeartbeatMessage', this.heartbeat, () => undefined);
  }
}
