import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { NatsUnavailableError } from './errors.js';
import type { EventBusLogger } from './logger.js';

/** Interval of the attempts to connect, milliseconds. */
const RECONNECT_INTERVAL_MS = 500;

export interface NatsConnectionOptions {
  /** One URL `nats://host:port`, or several separated by commas; the first one may contain user and password. */
  url: string;
  /** Connection name, which the server shows in its list of connections. */
  name: string;
}

interface ConnectOptions {
  /** Whether the connection does not receive its own messages. */
  noEcho?: boolean;
}

/**
 * Connects to NATS and waits for a server if none is reachable yet. The reason is logged once, so that a wrong address
 * or password is seen.
 */
export async function waitForNats(
  options: NatsConnectionOptions & { logger: EventBusLogger },
  connectOptions: ConnectOptions = {},
): Promise<NatsConnection> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connectNats(options, connectOptions);
    } catch (error) {
      if (!(error instanceof NatsUnavailableError)) throw error;
      if (attempt === 1) options.logger.warn('Waiting for NATS', { reason: error.message });
      await sleep(RECONNECT_INTERVAL_MS);
    }
  }
}

/**
 * Connects to NATS. An open connection reconnects indefinitely.
 *
 * @throws NatsUnavailableError if no server is reachable or accepts the connection
 */
export async function connectNats(
  options: NatsConnectionOptions,
  { noEcho = false }: ConnectOptions = {},
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
    reconnectTimeWait: RECONNECT_INTERVAL_MS,
    // Detects an unresponsive server in about four seconds; the client's default is four minutes.
    pingInterval: 2_000,
    maxPingOut: 2,
  }).catch((cause: unknown) => {
    throw new NatsUnavailableError(servers.map(({ host }) => host).join(', '), cause);
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
