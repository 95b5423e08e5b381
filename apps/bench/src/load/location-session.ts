import type { MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import { SocketIoConnection } from './socket-io-connection.js';
import type { ServerEndpoint } from './websocket.js';

const HEARTBEAT_MS = 25_000;

/** Socket of a watch that reports locations or of a parent who receives them. Acknowledges every `messages` event. */
export class LocationSession {
  private timer: NodeJS.Timeout | undefined;
  isLost = false;

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
    connection.onClose = () => (session.isLost = true);
    await new Promise<void>((resolve) => {
      connection.onEvent = (event, argument) => {
        if (event === 'hello') resolve();
        if (event !== 'messages') return;
        const frame = argument as MessagesFrame;
        if (frame.through !== undefined) connection.emit('AckMessage', `{"seq":${frame.through}}`, () => undefined);
        onFrame?.(frame);
      };
    });
    session.sendHeartbeat();
    session.timer = setInterval(() => session.sendHeartbeat(), HEARTBEAT_MS);
    return session;
  }

  /** Reports points. @param points - JSON array of the points */
  report(points: string, onResponse: (response: unknown) => void): void {
    this.connection.emit('LocationPointChangeMessage', `{"points":${points}}`, onResponse);
  }

  close(): void {
    clearInterval(this.timer);
    this.connection.close();
  }

  private sendHeartbeat(): void {
    this.connection.emit('HeartbeatMessage', this.heartbeat, () => undefined);
  }
}
