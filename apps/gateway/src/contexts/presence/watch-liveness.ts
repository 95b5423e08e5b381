/** What is known of one watch's signs of life. Times are Unix milliseconds. */
export interface WatchLivenessState {
  online: boolean;
  /** The silence under way, if it is one, was dealt with. */
  settled: boolean;
  /** Its last heartbeat or connection. */
  heardAt: number;
  /** When its last connection ended, if one has since the last one was opened. */
  endedAt: number | null;
  /** When it last said that it shuts down, if it has since it connected. */
  shutDownAt: number | null;
}

export interface LivenessDecision {
  signs: WatchLivenessState;
  /** It has just gone offline. */
  wentOffline: boolean;
  /** Its guardians must be told that the connection was lost: said once a silence. */
  isLost: boolean;
  /** When to look again if nothing is heard; `null` when only a sign of life can change anything. */
  dueAt: number | null;
}

/**
 * A watch is offline when nothing was heard for `patience`. It is lost when besides its socket has not come back for
 * as long, unless it had said that it shuts down.
 *
 * @param listeningSince - since when some node has been there to hear; before that, silence is not the watch's
 * @param patience - milliseconds, twice the heartbeat's interval
 */
export function evaluateLiveness(
  signs: WatchLivenessState,
  now: number,
  listeningSince: number,
  patience: number,
): LivenessDecision {
  const offlineAt = Math.max(signs.heardAt, listeningSince) + patience;
  const lostAt = Math.max(offlineAt, (signs.endedAt ?? 0) + patience);
  const wentOffline = signs.online && now >= offlineAt;
  const settles = !signs.settled && now >= lostAt;
  const judged = { ...signs, online: signs.online && !wentOffline, settled: signs.settled || settles };
  const dueAt = judged.online ? offlineAt : judged.settled ? null : lostAt;
  return { signs: judged, wentOffline, isLost: settles && !saidSo(signs, patience), dueAt };
}

/** Heartbeats may still follow the word; one much later shows that the watch has stayed on. */
function saidSo({ shutDownAt, heardAt }: WatchLivenessState, patience: number): boolean {
  return shutDownAt !== null && heardAt <= shutDownAt + patience;
}
