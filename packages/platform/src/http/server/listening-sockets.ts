import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { OnModuleInit } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Number of sockets that listen on one port. In each turn of its event loop, Node accepts one connection per listening
 * socket. With a single socket, a busy process accepts connections more slowly than they arrive; then every new client
 * waits for seconds, because the operating system drops connections beyond the queue of the socket. The operating
 * system distributes connections over all sockets of the port.
 */
const SOCKET_COUNT = 16;

/**
 * Returns whether several sockets may listen on one port (SO_REUSEPORT of socket(7)). Systems other than Linux give the
 * option another meaning, and older versions of Node ignore the option `reusePort`, so that the second socket would
 * fail with EADDRINUSE.
 */
export function canSharePort(platform: string = process.platform, version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return platform === 'linux' && (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12));
}

/** The sockets on which an application listens for clients. */
export class ListeningSockets implements OnModuleInit {
  /** Sockets besides that of the HTTP server; their connections are passed to the HTTP server. */
  private readonly additionalServers: Server[] = [];
  private pendingClose: Promise<unknown> | undefined;

  constructor(private readonly host: HttpAdapterHost<FastifyAdapter>) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance();
    // `preClose` closes all sockets at the same time. Fastify limits the duration of `preClose` hooks, but not of
    // `onClose` hooks, so only the `onClose` hook waits for requests in progress.
    fastify.addHook('preClose', (done) => {
      void this.close();
      done();
    });
    fastify.addHook('onClose', () => this.close());
  }

  /** @throws Error EADDRINUSE if a socket of another process listens on the port */
  async listen(app: NestFastifyApplication, port: number, host: string): Promise<void> {
    if (!canSharePort()) {
      await app.listen(port, host);
      return;
    }
    await assertUnused(port, host);
    const options = { port, host, reusePort: true };
    await app.listen(options);
    const { port: actualPort } = this.server.address() as AddressInfo;
    for (let count = 1; count < SOCKET_COUNT; count += 1) {
      // The same connection options as those of Node's HTTP server.
      const server = createServer({ allowHalfOpen: true, noDelay: true });
      server.on('connection', (socket) => this.server.emit('connection', socket));
      server.listen({ ...options, port: actualPort });
      await once(server, 'listening');
      this.additionalServers.push(server);
    }
  }

  /** Stops accepting connections, and waits until the connections of the additional sockets have ended. */
  private async close(): Promise<void> {
    this.pendingClose ??= Promise.all(this.additionalServers.map((server) => once(server.close(), 'close')));
    await this.pendingClose;
  }

  private get server(): Server {
    return this.host.httpAdapter.getHttpServer<Server>();
  }
}

/** Makes the application listen for clients. @throws Error EADDRINUSE if another socket listens on the port */
export function listen(app: NestFastifyApplication, { PORT, HOST }: { PORT: number; HOST: string }): Promise<void> {
  return app.get(ListeningSockets).listen(app, PORT, HOST);
}

/**
 * Checks that no socket listens on the port. Sockets that share a port would otherwise join the sockets of another
 * process of the same user.
 *
 * @throws Error EADDRINUSE if another socket listens on the port
 */
async function assertUnused(port: number, host: string): Promise<void> {
  if (port === 0) return;
  const probe = createServer().listen({ port, host, exclusive: true });
  await once(probe, 'listening');
  await once(probe.close(), 'close');
}
