import type { EmergencyContact } from '../contacts/emergency-order.service.js';

/**
 * Intervals in milliseconds: `step` between the notifications of two contacts, `repeat` before all contacts are
 * notified together.
 */
export interface EscalationIntervals {
  step: number;
  repeat: number;
}

/** Progress of the escalation of an SOS that no one has acknowledged. */
export interface EscalationProgress {
  /** The child's current contacts in the order of notification. */
  order: readonly EmergencyContact[];
  /** The contacts that were already notified, by `refId`. */
  notified: ReadonlySet<string>;
  /** When a contact was last notified. Unix milliseconds. */
  lastAt: number;
  /** Whether all contacts were notified in turn, and then all together at least once. */
  repeating: boolean;
}

export interface EscalationPlan {
  target: 'CONTACT' | 'ALL' | 'NONE';
  recipients: readonly EmergencyContact[];
  /** Time of the next step in Unix milliseconds; always later than `now`. */
  nextAt: number;
}

/**
 * Plans the next escalation step. The step notifies the first contact that has not been notified or, after the last
 * contact, all contacts together repeatedly. The current contact order applies: removed contacts are skipped, and new
 * contacts are notified.
 */
export function planNextStep(
  progress: EscalationProgress,
  { step, repeat }: EscalationIntervals,
  now: number,
): EscalationPlan {
  const { order, notified, lastAt, repeating } = progress;
  const remaining = order.filter(({ refId }) => !notified.has(refId));
  const [next] = remaining;
  if (next && !repeating) {
    return { target: 'CONTACT', recipients: [next], nextAt: now + (remaining.length > 1 ? step : repeat) };
  }
  // The interval starts at the last notification, not at the last scheduled step, because a contact can be notified
  // before its turn.
  if (order.length > 0 && now >= lastAt + repeat) {
    return { target: 'ALL', recipients: order, nextAt: now + repeat };
  }
  return { target: 'NONE', recipients: [], nextAt: order.length > 0 ? lastAt + repeat : now + repeat };
}
