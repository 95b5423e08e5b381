import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';

/** A TCP proxy between an app and its database server. */
export class DatabaseProxy {
  /** Returns what the proxy forwards in place of these data; nothing for undefined. */
  change: (data: Buffer) => Buffer | undefined = (data) => data;
  /** Number of connections that clients have opened. */
  connectionCount = 0;
  private isDown = false;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.forward(client));

  private constructor(private readonly target: Client) {}

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(new Client({ connectionString: databaseUrl }));
    await once(proxy.server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  /** URL of the database behind the proxy. */
  get url(): string {
    const { user = '', password, database = '' } = this.target;
    return `postgres://${user}:${String(password)}@127.0.0.1:${(this.server.address() as AddressInfo).port}/${database}`;
  }

  /** Closes all connections, and new ones at once. */
  goDown(): void {
    this.isDown = true;
    for (const socket of this.sockets) socket.destroy();
  }

  comeBack(): void {
    this.isDown = false;
  }

  close(): void {
    this.goDown();
    this.server.close();
  }

  private forward(near: Socket): void {
    this.connectionCount += 1;
    if (this.isDown) return void near.destroy();
    const { host, port } = this.target;
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.on('data', (data) => to.write(this.change(data) ?? ''));
    }
  }
}
