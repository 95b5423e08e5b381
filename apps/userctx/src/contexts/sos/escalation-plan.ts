import type { EmergencyContact } from '../contacts/emergency-order.service.js';

/** Milliseconds between two contacts, and from the last turn until it is everybody's again. */
export interface EscalationIntervals {
  step: number;
  repeat: number;
}

/** How far a call that nobody has acknowledged has come. */
export interface EscalationProgress {
  /** Whom there is to tell now, in order. */
  order: readonly EmergencyContact[];
  /** Who has had a turn, by `refId`. */
  told: ReadonlySet<string>;
  /** When somebody last had one. Unix milliseconds. */
  lastAt: number;
  /** All have had theirs, and everybody was told again since. */
  repeating: boolean;
}

export interface EscalationPlan {
  whom: 'CONTACT' | 'EVERYBODY' | 'NOBODY';
  recipients: readonly EmergencyContact[];
  /** Unix milliseconds; always later than now. */
  nextAt: number;
}

/**
 * What a step does: the first contact of the order who had no turn; after the last one everybody, again and again.
 * The order is that of the moment, so whoever has left it is passed over, and who is new to it has a turn.
 */
export function planNextStep(
  standing: EscalationProgress,
  { step, repeat }: EscalationIntervals,
  now: number,
): EscalationPlan {
  const { order, told, lastAt, repeating } = standing;
  const untold = order.filter(({ refId }) => !told.has(refId));
  const [next] = untold;
  if (next && !repeating) {
    return { whom: 'CONTACT', recipients: [next], nextAt: now + (untold.length > 1 ? step : repeat) };
  }
  // A turn can come early, and then all of them are over before the time of the last one.
  if (order.length > 0 && now >= lastAt + repeat) {
    return { whom: 'EVERYBODY', recipients: order, nextAt: now + repeat };
  }
  return { whom: 'NOBODY', recipients: [], nextAt: order.length > 0 ? lastAt + repeat : now + repeat };
}
