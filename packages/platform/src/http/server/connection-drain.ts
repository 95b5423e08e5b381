import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Logger, type BeforeApplicationShutdown, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';

/**
 * Fraction of SHUTDOWN_GRACE in which requests in progress may finish. The remaining fraction is for stopping the jobs
 * and closing the event bus and the database.
 */
const REQUEST_GRACE_FRACTION = 0.7;
const IDLE_CHECK_INTERVAL_MS = 100;

/**
 * Limits how long clients can delay a shutdown. Nest closes the HTTP server after the `beforeApplicationShutdown` hooks
 * and waits until the last connection has ended. Node does not end a connection whose request or response never
 * completes, so `ConnectionDrain` destroys such a connection.
 */
export class ConnectionDrain implements OnModuleInit, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(ConnectionDrain.name);
  private readonly sockets = new Set<Socket>();
  private readonly timers: NodeJS.Timeout[] = [];
  private isDraining = false;

  /** @param graceSeconds - SHUTDOWN_GRACE */
  constructor(
    private readonly host: HttpAdapterHost<FastifyAdapter>,
    private readonly graceSeconds: number,
  ) {}

  onModuleInit(): void {
    this.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.host.httpAdapter.getInstance().addHook('onSend', (_request, reply, _payload, done) => {
      if (this.isDraining) void reply.header('connection', 'close');
      done();
    });
  }

  beforeApplicationShutdown(): void {
    this.isDraining = true;
    // A connection that becomes idle after Node closed the idle ones would stay open until its keep-alive timeout.
    this.timers.push(
      setInterval(() => this.server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS),
      setTimeout(() => this.destroySockets(), this.graceSeconds * 1_000 * REQUEST_GRACE_FRACTION),
    );
  }

  onApplicationShutdown(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private get server(): Server {
    return this.host.httpAdapter.getHttpServer<Server>();
  }

  private destroySockets(): void {
    this.logger.log({ msg: 'Unfinished connections closed', connections: this.sockets.size });
    for (const socket of this.sockets) socket.destroy();
  }
}
