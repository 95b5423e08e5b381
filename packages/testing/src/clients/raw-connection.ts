import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '../waiting/wait-for.js';

/** A TCP connection to an HTTP server that sends exactly the bytes that a test writes. */
export class RawConnection {
  /** Received bytes as Latin-1 text. */
  text = '';
  isEnded = false;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isEnded = true));
  }

  /** @param localAddress - IP address of the client; different loopback addresses count as different clients */
  static async open(url: string, localAddress?: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    await once(socket, 'connect');
    const connection = new RawConnection(socket);
    socket.on('data', (chunk: Buffer) => (connection.text += chunk.toString('latin1')));
    return connection;
  }

  /** Stops reading, so that responses remain at the server. */
  stopReading(): this {
    this.socket.pause();
    return this;
  }

  send(text: string): this {
    this.socket.write(text);
    return this;
  }

  /** Status codes of the responses received so far. */
  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  /** The body of the last response, as JSON. */
  get lastBody(): unknown {
    return JSON.parse(this.text.slice(this.text.lastIndexOf('\r\n\r\n') + 4)) as unknown;
  }

  async untilEnded(): Promise<this> {
    await waitUntil(
      () => `the end of the connection; got ${this.text.slice(0, 2_000)}`,
      () => this.isEnded,
    );
    return this;
  }

  async untilResponses(count: number): Promise<this> {
    await waitUntil(
      () => `${count} responses; got ${this.text.slice(0, 2_000)}`,
      () => this.statuses.length >= count,
    );
    return this;
  }

  close(): void {
    this.socket.destroy();
  }
}
