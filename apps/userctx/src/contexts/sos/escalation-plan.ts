import type { EmergencyContact } from '../contacts/emergency-order.service.js';

/**
 * Intervals in milliseconds: `stepMs` between the notifications of two contacts, `repeatMs` before all contacts are
 * notified together.
 */
export interface EscalationIntervals {
  stepMs: number;
  repeatMs: number;
}

/** Progress of the escalation of an SOS that no one has acknowledged. */
export interface EscalationProgress {
  /** The child's current contacts in the order of notification. */
  contacts: readonly EmergencyContact[];
  /** The contacts that were already notified, by `refId`. */
  notifiedRefIds: ReadonlySet<string>;
  /** When a contact was last notified. Unix milliseconds. */
  lastNotifiedAt: number;
  /** Whether all contacts were notified in turn, and then all together at least once. */
  isRepeating: boolean;
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
  { stepMs, repeatMs }: EscalationIntervals,
  now: number,
): EscalationPlan {
  const { contacts, notifiedRefIds, lastNotifiedAt, isRepeating } = progress;
  const remaining = contacts.filter(({ refId }) => !notifiedRefIds.has(refId));
  const [next] = remaining;
  if (next && !isRepeating) {
    return { target: 'CONTACT', recipients: [next], nextAt: now + (remaining.length > 1 ? stepMs : repeatMs) };
  }
  // The interval starts at the last notification, not at the last scheduled step, because a contact can be notified
  // before its turn.
  if (contacts.length > 0 && now >= lastNotifiedAt + repeatMs) {
    return { target: 'ALL', recipients: contacts, nextAt: now + repeatMs };
  }
  return { target: 'NONE', recipients: [], nextAt: contacts.length > 0 ? lastNotifiedAt + repeatMs : now + repeatMs };
}
