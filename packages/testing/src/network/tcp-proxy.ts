import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * Forwards TCP connections to a server, so that a test can make the server unreachable or unresponsive for the clients
 * of the proxy only.
 */
export class TcpProxy {
  /** Open sockets, each with the socket to which its data is forwarded. */
  private readonly sockets = new Map<Socket, Socket>();
  private isBlocked = false;
  private isFrozen = false;

  private constructor(
    private readonly server: Server,
    private readonly target: { host: string; port: number },
  ) {
    server.on('connection', (client) => this.forward(client));
  }

  /** Listens on a free port of 127.0.0.1. */
  static async start(target: { host: string; port: number }): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Closes all connections, and closes new connections immediately until {@link unblock} is called. */
  block(): void {
    this.isBlocked = true;
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  unblock(): void {
    this.isBlocked = false;
  }

  /**
   * Stops forwarding until {@link unfreeze} is called, but keeps all connections open and accepts new connections, like
   * a network that loses all packets. If {@link block} is called before `unfreeze`, the data received in between is
   * lost.
   */
  freeze(): void {
    this.isFrozen = true;
    for (const [socket, other] of this.sockets) socket.unpipe(other);
  }

  /** Forwards the data that was received since {@link freeze}, and all later data. */
  unfreeze(): void {
    this.isFrozen = false;
    for (const [socket, other] of this.sockets) socket.pipe(other);
  }

  async close(): Promise<void> {
    this.block();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    if (this.isBlocked) return void client.destroy();
    const upstream = connect(this.target.port, this.target.host);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.set(socket, other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
      if (!this.isFrozen) socket.pipe(other);
    }
  }
}
