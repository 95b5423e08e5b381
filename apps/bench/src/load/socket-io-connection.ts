import { WebSocketConnection, type ServerEndpoint } from './websocket.js';

const PATH = '/socket.io/?EIO=4&transport=websocket';

/** Packet types of Engine.IO 4. */
const OPEN = '0';
const PING = '2';
const PONG = '3';
const MESSAGE = '4';

/** Packet types of Socket.IO 5, which are the second character of a packet of the Engine.IO type MESSAGE. */
const CONNECT = '0';
const DISCONNECT = '1';
const EVENT = '2';
const ACK = '3';
const CONNECT_ERROR = '4';

/** Time limit of the handshake after the upgrade, as in Socket.IO's client. */
const HANDSHAKE_TIMEOUT_MS = 20_000;

/** Thrown when the service rejects the handshake. The error message contains the error packet. */
class ConnectRejectedError extends Error {
  override readonly name = 'ConnectRejectedError';
}

/** A minimal Socket.IO client that creates no objects per packet, unlike the library. */
export class SocketIoConnection {
  onEvent: (event: string, argument: unknown) => void = () => undefined;
  onClose: () => void = () => undefined;
  private readonly responseCallbacks = new Map<number, (response: unknown) => void>();
  private lastId = 0;
  private closed = false;

  private constructor(private readonly socket: WebSocketConnection) {}

  /**
   * Resolves when the client is connected to the namespace. The first event is delivered in the next turn of the event
   * loop or later.
   *
   * @throws ConnectRejectedError when the service rejects the handshake; Error when the connection is lost during the
   * handshake
   */
  static async open(endpoint: ServerEndpoint, auth: object): Promise<SocketIoConnection> {
    const socket = await WebSocketConnection.open(endpoint, PATH);
    const connection = new SocketIoConnection(socket);
    const timeout = setTimeout(() => socket.close(), HANDSHAKE_TIMEOUT_MS);
    return new Promise<SocketIoConnection>((resolve, reject) => {
      socket.onClose = () => {
        connection.closed = true;
        reject(new Error('The connection was closed during the handshake'));
        connection.onClose();
      };
      const earlyPackets: string[] = [];
      socket.onText = (text) => {
        if (text.startsWith(OPEN)) socket.send(`${MESSAGE}${CONNECT}${JSON.stringify(auth)}`);
        else if (text.startsWith(MESSAGE + CONNECT_ERROR)) reject(new ConnectRejectedError(text.slice(2)));
        else if (text.startsWith(MESSAGE + CONNECT)) {
          resolve(connection);
          setImmediate(() => {
            socket.onText = (packet) => connection.onPacket(packet);
            for (const packet of earlyPackets) connection.onPacket(packet);
          });
        } else earlyPackets.push(text);
      };
    }).finally(() => clearTimeout(timeout));
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Sends an event. Calls `onResponse` with the service's response, but not when the connection is lost before it. */
  emit(event: string, payload: string, onResponse: (response: unknown) => void): void {
    const id = this.lastId++;
    this.responseCallbacks.set(id, onResponse);
    this.socket.send(`${MESSAGE}${EVENT}${id}["${event}",${payload}]`);
  }

  close(): void {
    this.socket.close();
  }

  private onPacket(text: string): void {
    if (text === PING) this.socket.send(PONG);
    if (text[0] !== MESSAGE) return;
    if (text[1] === EVENT) {
      const [event, argument] = JSON.parse(text.slice(2)) as [string, unknown];
      this.onEvent(event, argument);
    } else if (text[1] === ACK) {
      const start = text.indexOf('[');
      const id = Number(text.slice(2, start));
      const onResponse = this.responseCallbacks.get(id);
      this.responseCallbacks.delete(id);
      onResponse?.((JSON.parse(text.slice(start)) as unknown[])[0]);
    } else if (text[1] === DISCONNECT) {
      this.socket.close();
    }
  }
}
