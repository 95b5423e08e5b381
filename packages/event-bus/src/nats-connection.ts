import type { NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';

export interface NatsConnectionOptions {
  /** `nats://host:port`, several separated by commas; user and password may stand in the first. */
  url: string;
  /** Shown in the server's list of connections. */
  name: string;
}

/** Connects for bus and signals. Rejects if no server answers now; afterwards it reconnects for ever. */
export function connectNats(
  options: NatsConnectionOptions,
  { noEcho = false }: { noEcho?: boolean } = {},
): Promise<NatsConnection> {
  const servers = options.url.split(',').map((server) => new URL(server.trim()));
  return connect({
    servers: servers.map(({ host }) => host),
    ...(servers.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
    ...credentialsOf(servers[0]),
    name: options.name,
    noEcho,
    maxReconnectAttempts: -1,
    // Otherwise the second refusal in a row, of a server that is being set up anew, would be the end of it for good.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 500,
    // A dead peer is noticed in about four seconds, not the client's default of four minutes.
    pingInterval: 2_000,
    maxPingOut: 2,
  });
}

/** The client reads none from an address. Each user hears answers on subjects of its own, so that no other can listen in. */
function credentialsOf(server: URL | undefined): { user?: string; pass?: string; inboxPrefix?: string } {
  if (!server?.username) return {};
  const user = decodeURIComponent(server.username);
  return { user, pass: decodeURIComponent(server.password), inboxPrefix: `_INBOX_${user}` };
}
