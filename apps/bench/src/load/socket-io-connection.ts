import { WebSocketConnection } from './websocket.js';
import type { ServerEndpoint } from './websocket.js';

/** Packets of Engine.IO 4 and, after `4`, of Socket.IO 5, as far as a client of one namespace meets them. */
const PATH = '/socket.io/?EIO=4&transport=websocket';
const OPEN = '0';
const PING = '2';
const PONG = '3';
const MESSAGE = '4';
const CONNECT = '0';
const DISCONNECT = '1';
const EVENT = '2';
const ACK = '3';
const CONNECT_ERROR = '4';

/** The service refused the handshake; `data` says why. */
class ConnectRefusedError extends Error {
  override readonly name = 'ConnectRefusedError';
}

/** The frames of Socket.IO without its library's objects per packet. */
export class SocketIoConnection {
  onEvent: (event: string, argument: unknown) => void = () => undefined;
  onClose: () => void = () => undefined;
  private readonly answers = new Map<number, (answer: unknown) => void>();
  private lastId = 0;
  private closed = false;

  private constructor(private readonly socket: WebSocketConnection) {}

  /**
   * Resolves when the namespace has let the client in; events come from the next turn of the event loop on.
   * @throws ConnectRefusedError; Error when the connection is lost before
   */
  static async open(endpoint: ServerEndpoint, auth: object): Promise<SocketIoConnection> {
    const socket = await WebSocketConnection.open(endpoint, PATH);
    const connection = new SocketIoConnection(socket);
    return new Promise((resolve, reject) => {
      socket.onClose = () => {
        connection.closed = true;
        reject(new Error('The connection was closed during the handshake'));
        connection.onClose();
      };
      const early: string[] = [];
      socket.onText = (text) => {
        if (text.startsWith(OPEN)) socket.send(`${MESSAGE}${CONNECT}${JSON.stringify(auth)}`);
        else if (text.startsWith(MESSAGE + CONNECT_ERROR)) reject(new ConnectRefusedError(text.slice(2)));
        else if (text.startsWith(MESSAGE + CONNECT)) {
          resolve(connection);
          setImmediate(() => {
            socket.onText = (later) => connection.take(later);
            for (const waiting of early) connection.take(waiting);
          });
        } else early.push(text);
      };
    });
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Calls back when the service has answered; never when the connection is lost before. */
  emit(event: string, payload: string, onAnswer: (answer: unknown) => void): void {
    const id = this.lastId++;
    this.answers.set(id, onAnswer);
    this.socket.send(`${MESSAGE}${EVENT}${id}["${event}",${payload}]`);
  }

  close(): void {
    this.socket.close();
  }

  private take(text: string): void {
    if (text === PING) this.socket.send(PONG);
    if (text[0] !== MESSAGE) return;
    if (text[1] === EVENT) {
      const [event, argument] = JSON.parse(text.slice(2)) as [string, unknown];
      this.onEvent(event, argument);
    } else if (text[1] === ACK) {
      const start = text.indexOf('[');
      const id = Number(text.slice(2, start));
      const onAnswer = this.answers.get(id);
      this.answers.delete(id);
      onAnswer?.((JSON.parse(text.slice(start)) as unknown[])[0]);
    } else if (text[1] === DISCONNECT) {
      this.socket.close();
    }
  }
}
