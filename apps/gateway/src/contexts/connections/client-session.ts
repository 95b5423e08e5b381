import type { Channel } from '../../protocol/channel.js';
import type { Connection } from '../../protocol/connection.js';
import type { EventRateLimiter } from '../../protocol/event-rate-limiter.js';

/** One connected client, from the handshake to the end of its connection. */
export interface ClientSession {
  readonly connection: Connection;
  readonly channel: Channel;
  readonly rateLimiter: EventRateLimiter;
  /**
   * Resolves, never rejects, when the greeting is over and every event before has been given to its handler: the
   * events of one client are taken up in the order in which they came. Absent while there is nothing to wait for.
   */
  inputQueue: Promise<void> | undefined;
}

/** The session's next events wait for `turn`, which never rejects. */
export function enqueueIntake(session: ClientSession, turn: Promise<void>): void {
  const held = turn.then(() => {
    if (session.inputQueue === held) session.inputQueue = undefined;
  });
  session.inputQueue = held;
}
