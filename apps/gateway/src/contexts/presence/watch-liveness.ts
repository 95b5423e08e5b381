/** Liveness of one watch as stored. Times are Unix milliseconds. */
export interface WatchLivenessState {
  online: boolean;
  /** The current offline period, if any, needs no further processing. */
  handled: boolean;
  /** Time of its last heartbeat or connection. */
  lastSeenAt: number;
  /** When a connection last ended; `null` if none has since the latest one was opened. */
  disconnectedAt: number | null;
  /** When it last announced its shutdown; `null` if it has not since it connected. */
  shutDownAt: number | null;
}

export interface LivenessDecision {
  state: WatchLivenessState;
  /** The watch has just gone offline. */
  wentOffline: boolean;
  /** Its guardians must be notified of a lost connection. True once per offline period. */
  isLost: boolean;
  /** When to evaluate again if the watch sends nothing; `null` when only an event of the watch can change the state. */
  dueAt: number | null;
}

/**
 * Evaluates whether a watch is offline or lost. It is offline when it has sent nothing for `timeoutMs`. It is lost when
 * its socket has also not reconnected for that long, unless it had announced its shutdown.
 *
 * @param servingSince - since when at least one node has been serving; time before that does not count as silence
 * @param timeoutMs - twice the heartbeat interval
 */
export function evaluateLiveness(
  state: WatchLivenessState,
  now: number,
  servingSince: number,
  timeoutMs: number,
): LivenessDecision {
  const offlineAt = Math.max(state.lastSeenAt, servingSince) + timeoutMs;
  const lostAt = Math.max(offlineAt, (state.disconnectedAt ?? 0) + timeoutMs);
  const wentOffline = state.online && now >= offlineAt;
  const completes = !state.handled && now >= lostAt;
  const updated = { ...state, online: state.online && !wentOffline, handled: state.handled || completes };
  const dueAt = updated.online ? offlineAt : updated.handled ? null : lostAt;
  return { state: updated, wentOffline, isLost: completes && !wasShutdownAnnounced(state, timeoutMs), dueAt };
}

/** Heartbeats may still follow the announcement; one after the timeout shows that the watch has stayed on. */
function wasShutdownAnnounced({ shutDownAt, lastSeenAt }: WatchLivenessState, timeoutMs: number): boolean {
  return shutDownAt !== null && lastSeenAt <= shutDownAt + timeoutMs;
}
