import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { ServerEndpoint } from '../load/websocket.js';

/** One address for several servers: each new connection goes to the next that takes it. */
export class RoundRobin {
  private next = 0;

  private constructor(
    readonly endpoint: ServerEndpoint,
    private readonly server: Server,
  ) {}

  static async start(backends: readonly ServerEndpoint[]): Promise<RoundRobin> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const front = new RoundRobin({ host: '127.0.0.1', port }, server);
    server.on('connection', (client) => {
      client.on('error', () => client.destroy());
      front.pass(client, backends, 0);
    });
    return front;
  }

  close(): void {
    this.server.close();
  }

  private pass(client: Socket, backends: readonly ServerEndpoint[], tried: number): void {
    const backend = backends[this.next++ % backends.length];
    if (!backend || tried === backends.length) {
      client.destroy();
      return;
    }
    const server = connect({ host: backend.host, port: backend.port, noDelay: true });
    const refused = (): void => this.pass(client, backends, tried + 1);
    server.once('error', refused);
    server.once('connect', () => {
      server.off('error', refused);
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
