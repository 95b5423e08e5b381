import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { ServerEndpoint } from '../load/websocket.js';

/** TCP proxy for several servers. Forwards each new connection to the next server that accepts connections. */
export class RoundRobinProxy {
  private nextIndex = 0;

  private constructor(
    readonly endpoint: ServerEndpoint,
    private readonly server: Server,
  ) {}

  static async start(backends: readonly ServerEndpoint[]): Promise<RoundRobinProxy> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const proxy = new RoundRobinProxy({ host: '127.0.0.1', port }, server);
    server.on('connection', (client) => {
      client.on('error', () => client.destroy());
      proxy.forward(client, backends, 0);
    });
    return proxy;
  }

  close(): void {
    this.server.close();
  }

  private forward(client: Socket, backends: readonly ServerEndpoint[], attempts: number): void {
    const backend = backends[this.nextIndex++ % backends.length];
    if (!backend || attempts === backends.length) {
      client.destroy();
      return;
    }
    const server = connect({ host: backend.host, port: backend.port, noDelay: true });
    const tryNext = (): void => this.forward(client, backends, attempts + 1);
    server.once('error', tryNext);
    server.once('connect', () => {
      server.off('error', tryNext);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
      }
    });
  }
}
