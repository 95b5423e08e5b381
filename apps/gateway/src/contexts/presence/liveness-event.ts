import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

export type LivenessEventKind = 'connected' | 'heard' | 'shutting down' | 'disconnected';

/** A sign of life of a watch, or the end of one of its connections. `at`: Unix milliseconds. */
export interface LivenessEvent {
  principal: PrincipalKey;
  kind: LivenessEventKind;
  at: number;
}

/** What several signs of one watch change together. */
export interface LivenessSummary {
  principal: PrincipalKey;
  /** `null` when nothing but the end of connections was seen. */
  heardAt: number | null;
  /** It has connected: what was known of an end and of shutting down before holds no longer. */
  startsAnew: boolean;
  endedAt: number | null;
  shutDownAt: number | null;
}

/** One summary per watch, from its signs in the order in which they came. */
export function summarizeLivenessEvents(signs: readonly LivenessEvent[]): LivenessSummary[] {
  const summaries = new Map<PrincipalKey, LivenessSummary>();
  for (const sign of signs) {
    const { principal } = sign;
    const nothing = { principal, heardAt: null, startsAnew: false, endedAt: null, shutDownAt: null };
    summaries.set(principal, add(summaries.get(principal) ?? nothing, sign));
  }
  return [...summaries.values()];
}

function add(summary: LivenessSummary, { kind, at }: LivenessEvent): LivenessSummary {
  if (kind === 'disconnected') return { ...summary, endedAt: at };
  const heard = { ...summary, heardAt: Math.max(summary.heardAt ?? 0, at) };
  if (kind === 'connected') return { ...heard, startsAnew: true, endedAt: null, shutDownAt: null };
  return kind === 'heard' ? heard : { ...heard, shutDownAt: at };
}
