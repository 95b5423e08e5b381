import type { Channel } from '../../protocol/channel.js';
import type { Connection } from '../../protocol/connection.js';
import type { FloodGuard } from '../../protocol/flood-guard.js';

/** One connected client, from the handshake to the end of its connection. */
export interface ClientSession {
  readonly connection: Connection;
  readonly channel: Channel;
  readonly flood: FloodGuard;
  /** Resolves when `hello` has been said; events that come earlier wait for it. */
  ready: Promise<void>;
}
