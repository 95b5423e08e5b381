import type { NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';

export interface NatsConnectionOptions {
  /** One URL `nats://host:port`, or several separated by commas; the first one may contain user and password. */
  url: string;
  /** Connection name, which the server shows in its list of connections. */
  name: string;
}

/** Connects to NATS. Rejects if no NATS server is reachable; an open connection reconnects indefinitely. */
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
    // By default the client stops reconnecting after two consecutive authentication errors. A server may return such
    // errors while it is being set up.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 500,
    // Detects an unresponsive server in about four seconds; the client's default is four minutes.
    pingInterval: 2_000,
    maxPingOut: 2,
  });
}

/**
 * Extracts user and password, which the NATS client does not read from a URL. Each user has a separate inbox prefix, so
 * that users cannot read each other's responses.
 */
function credentialsOf(server: URL | undefined): { user?: string; pass?: string; inboxPrefix?: string } {
  if (!server?.username) return {};
  const user = decodeURIComponent(server.username);
  return { user, pass: decodeURIComponent(server.password), inboxPrefix: `_INBOX_${user}` };
}
