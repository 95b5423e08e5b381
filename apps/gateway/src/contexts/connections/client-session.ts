import type { Socket } from 'socket.io';
import type { ClientToServerEvents, ServerToClientEvents } from '@family-watch/domain/messages/contracts/socket-events';
import type { VerifiedToken } from '@family-watch/platform/auth/token-verifier';
import type { Connection } from './connection.js';
import type { EventRateLimiter } from './client-limits.js';
import type { ClientCursor } from '../mailbox/resume.js';
import type { SocketChannel } from './socket-channel.js';

/** A connected client, from the handshake until its connection closes. */
export interface ClientSession {
  readonly connection: Connection;
  readonly channel: SocketChannel;
  readonly rateLimiter: EventRateLimiter;
  /**
   * Resolves when `hello` was sent and every earlier event was passed to its handler, so that events are handled in the
   * order of arrival. Never rejects. `undefined` while a new event can be handled without delay.
   */
  eventQueue: Promise<void> | undefined;
}

/** Makes later events of the session wait for `task`, which never rejects. */
export function blockEventsUntil(session: ClientSession, task: Promise<void>): void {
  const queued = task.then(() => {
    if (session.eventQueue === queued) session.eventQueue = undefined;
  });
  session.eventQueue = queued;
}

/**
 * Data attached to a socket: the results of the handshake, and later the session that is created from these results.
 */
export interface SocketData {
  token: VerifiedToken;
  cursor: ClientCursor;
  session?: ClientSession;
}

export type ClientSocket = Socket<ClientToServerEvents, ServerToClientEvents, Record<string, never>, SocketData>;
