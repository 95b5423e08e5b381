import type { Channel } from '../../protocol/channel.js';
import type { Connection } from '../../protocol/connection.js';
import type { FloodGuard } from '../../protocol/flood-guard.js';

/** One connected client, from the handshake to the end of its connection. */
export interface ClientSession {
  readonly connection: Connection;
  readonly channel: Channel;
  readonly flood: FloodGuard;
  /**
   * Resolves, never rejects, when the greeting is over and every event before has been given to its handler: the
   * events of one client are taken up in the order in which they came.
   */
  intake: Promise<void>;
}
