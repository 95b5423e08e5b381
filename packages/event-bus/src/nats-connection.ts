import type { NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';

export interface NatsConnectionOptions {
  /** `nats://host:port`, several separated by commas; credentials may stand in the address. */
  url: string;
  /** Shown in the server's list of connections. */
  name: string;
}

/** Connects for bus and signals. Rejects if no server answers now; afterwards it reconnects for ever. */
export function connectNats(options: NatsConnectionOptions): Promise<NatsConnection> {
  return connect({
    servers: options.url.split(',').map((server) => server.trim()),
    name: options.name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    // A dead peer is noticed in about four seconds, not the client's default of four minutes.
    pingInterval: 2_000,
    maxPingOut: 2,
  });
}
