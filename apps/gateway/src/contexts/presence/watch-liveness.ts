/** Liveness of one watch as stored. Times are Unix milliseconds. */
export interface WatchLivenessState {
  online: boolean;
  /** Whether the current offline period needs no further processing; false while the watch is online. */
  offlinePeriodHandled: boolean;
  /** Time of the watch's last heartbeat or connection. */
  lastSeenAt: number;
  /** Time when a connection of the watch last ended, or `null` if the watch has connected since. */
  disconnectedAt: number | null;
  /** Time when the watch last announced its shutdown, or `null` if the watch has connected since. */
  shutDownAt: number | null;
}

export interface LivenessDecision {
  state: WatchLivenessState;
  /** Whether the watch has just gone offline. */
  wentOffline: boolean;
  /** True once per offline period, when the guardians must be notified that the watch's connection is lost. */
  isLost: boolean;
  /** Time of the next evaluation, or `null` when only an event of the watch can change the state. */
  dueAt: number | null;
}

/**
 * Evaluates whether a watch is offline or lost. A watch is offline when it has sent nothing for `timeoutMs`. A watch is
 * lost when it has also had no connection for `timeoutMs`, unless it had announced its shutdown.
 *
 * @param servingSince - time since which at least one node has been running without a gap; earlier time does not count
 * towards the timeout, because a watch could not send anything
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
  const completes = !state.offlinePeriodHandled && now >= lostAt;
  const updated = {
    ...state,
    online: state.online && !wentOffline,
    offlinePeriodHandled: state.offlinePeriodHandled || completes,
  };
  const dueAt = updated.online ? offlineAt : updated.offlinePeriodHandled ? null : lostAt;
  return { state: updated, wentOffline, isLost: completes && !wasShutdownAnnounced(state, timeoutMs), dueAt };
}

/**
 * Returns whether the watch has announced its shutdown and has then stopped sending. Heartbeats may still follow the
 * announcement, but a heartbeat after the timeout shows that the watch has stayed on.
 */
function wasShutdownAnnounced({ shutDownAt, lastSeenAt }: WatchLivenessState, timeoutMs: number): boolean {
  return shutDownAt !== null && lastSeenAt <= shutDownAt + timeoutMs;
}
