import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

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
