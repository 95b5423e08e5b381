import type { DomainEvents } from '@family-watch/domain/events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { Environment } from '@family-watch/platform/config/environment';

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

export type LivenessEventKind = 'connected' | 'heartbeat' | 'shutting down' | 'disconnected';

/** A connection, heartbeat, announced shutdown or disconnect of a watch. `at`: Unix milliseconds. */
export interface LivenessEvent {
  principal: PrincipalKey;
  kind: LivenessEventKind;
  at: number;
}

/** Combined effect of several liveness events of one watch. Times are Unix milliseconds. */
export interface LivenessSummary {
  principal: PrincipalKey;
  /** Time of the last event other than a disconnect, or `null` if all events were disconnects. */
  lastSeenAt: number | null;
  /** The watch has connected: an earlier disconnect or announced shutdown no longer applies. */
  isNewConnection: boolean;
  disconnectedAt: number | null;
  shutDownAt: number | null;
}

/** Returns one summary per watch. The events must be in the order in which they occurred. */
export function summarizeLivenessEvents(events: readonly LivenessEvent[]): LivenessSummary[] {
  const summaries = new Map<PrincipalKey, LivenessSummary>();
  for (const event of events) {
    const { principal } = event;
    const empty = { principal, lastSeenAt: null, isNewConnection: false, disconnectedAt: null, shutDownAt: null };
    summaries.set(principal, addEvent(summaries.get(principal) ?? empty, event));
  }
  return [...summaries.values()];
}

function addEvent(summary: LivenessSummary, { kind, at }: LivenessEvent): LivenessSummary {
  if (kind === 'disconnected') return { ...summary, disconnectedAt: at };
  const seen = { ...summary, lastSeenAt: Math.max(summary.lastSeenAt ?? 0, at) };
  if (kind === 'connected') return { ...seen, isNewConnection: true, disconnectedAt: null, shutDownAt: null };
  return kind === 'heartbeat' ? seen : { ...seen, shutDownAt: at };
}

/** Returns how long a watch may send nothing before it is offline: twice the heartbeat interval. Milliseconds. */
export function offlineTimeoutMs({ HEARTBEAT_INTERVAL }: Environment): number {
  return HEARTBEAT_INTERVAL * 2_000;
}

export function didOfPrincipal(watch: PrincipalKey): number {
  return Number(watch.slice('watch:'.length));
}

export function createPresenceChangedEvent(
  watch: PrincipalKey,
  online: boolean,
  time: number,
  lastSeen: number,
): NewEventOf<DomainEvents, 'gateway.watch.presence-changed'> {
  return {
    name: 'gateway.watch.presence-changed',
    key: watch,
    payload: { did: didOfPrincipal(watch), online, time, lastSeen },
  };
}
