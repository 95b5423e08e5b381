import type { ReconnectAdvice } from '@family-watch/domain/messages/contracts/socket-events';

/** Connections per second that the clients of a lost node may open on other nodes. */
const MAX_RECONNECTS_PER_SECOND = 2_000;
const MIN_DELAY_MS = 100;
const DELAY_RANGE_WITHOUT_CLIENTS_MS = 300;
/** Maximum delay before a client reconnects, regardless of the number of clients. */
const MAX_DELAY_MS = 30_000;

/** Returns when the clients of a node with this many connections should reconnect if it closes them. */
export function reconnectAdvice(connections: number): ReconnectAdvice {
  const spread = DELAY_RANGE_WITHOUT_CLIENTS_MS + Math.ceil((connections * 1_000) / MAX_RECONNECTS_PER_SECOND);
  return { minDelay: MIN_DELAY_MS, maxDelay: Math.min(MAX_DELAY_MS, MIN_DELAY_MS + spread) };
}
