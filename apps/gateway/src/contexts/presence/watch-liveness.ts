/** Liveness of one watch as stored. Times are Unix milliseconds. */
export interface WatchLivenessState {
  online: boolean;
  /** The current offline period, if the watch is in one, needs no further processing. */
  handled: boolean;
  /** Time of the watch's last heartbeat or connection. */
  lastSeenAt: number;
  /** When a connection of the watch last ended; `null` if none has ended since the latest one was opened. */
  disconnectedAt: number | null;
  /** When the watch last announced its shutdown; `null` if it has announced none since it last connected. */
  shutDownAt: number | null;
}

export interface LivenessDecision {
  state: WatchLivenessState;
  /** The watch has just gone offline. */
  wentOffline: boolean;
  /** The watch's guardians must be notified that its connection is lost. True once per offline period. */
  isLost: boolean;
  /** When to evaluate again if the watch sends nothing; `null` when only an event of the watch can change the state. */
  dueAt: number | null;
}

/**
 * Evaluates whether a watch is offline or lost. It is offline when it has sent nothing for `timeoutMs`. It is lost when
 * its socket has also not reconnected for that long, unless it had announced its shutdown.
 *
 * @param servingSince - time since which at least one node has been running without a gap; a watch could not send
 * anything before it, so earlier time does not count towards the timeout
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

/**
 * Returns whether the watch has announced its shutdown and has then stopped sending. Heartbeats may still follow the
 * announcement, but a heartbeat after the timeout shows that the watch has stayed on.
 */
function wasShutdownAnnounced({ shutDownAt, lastSeenAt }: WatchLivenessState, timeoutMs: number): boolean {
  return shutDownAt !== null && lastSeenAt <= shutDownAt + timeoutMs;
}
