import type { ReconnectAdvice } from '@family-watch/domain/messages/contracts/socket-events';

/** Connections a second that the clients of a lost node may open elsewhere. */
const RETURNING_PER_SECOND = 2_000;
const MIN_DELAY_MS = 100;
const SPREAD_MS = 300;
/** A client stays away for half a minute at most, however many there are. */
const LONGEST_MS = 30_000;

/** When clients of a node that holds this many connections should come back if it ends them. */
export function reconnectAdvice(connections: number): ReconnectAdvice {
  const spread = SPREAD_MS + Math.ceil((connections * 1_000) / RETURNING_PER_SECOND);
  return { minDelay: MIN_DELAY_MS, maxDelay: Math.min(LONGEST_MS, MIN_DELAY_MS + spread) };
}
