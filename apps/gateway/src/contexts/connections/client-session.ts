import type { Channel } from '../../protocol/channel.js';
import type { Connection } from '../../protocol/connection.js';
import type { EventRateLimiter } from '../../protocol/event-rate-limiter.js';

/** A connected client, from the handshake until its connection closes. */
export interface ClientSession {
  readonly connection: Connection;
  readonly channel: Channel;
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
