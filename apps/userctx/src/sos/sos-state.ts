import { SOS_STATE, type SosState } from '@family-watch/domain/sos/contracts/sos';

/** Maximum age of an SOS on receipt: a watch may have been without a network for this long. Milliseconds. */
const MAX_DELAY_MS = 24 * 60 * 60_000;
/** Tolerated lead of the watch's clock over the server's. Milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Returns the watch's time of the SOS if it is plausible, otherwise null. Only a plausible time identifies a press of the
 * SOS button: a watch whose clock is not set may send the same time with each press.
 */
export function plausibleTime(reportedAt: unknown, now: number): number | null {
  if (typeof reportedAt !== 'number' || !Number.isSafeInteger(reportedAt)) return null;
  return reportedAt >= now - MAX_DELAY_MS && reportedAt <= now + CLOCK_TOLERANCE_MS ? reportedAt : null;
}

const { RAISED, NOTIFYING, ACKNOWLEDGED, RESOLVED } = SOS_STATE;

export type SosTransition = 'NOTIFY' | 'ACKNOWLEDGE' | 'RESOLVE';

/**
 * Source states and target state of each transition. A transition has no effect in a state that is not one of its
 * source states. No transition leads to an earlier state.
 */
export const SOS_TRANSITIONS: Readonly<Record<SosTransition, { from: readonly SosState[]; to: SosState }>> = {
  NOTIFY: { from: [RAISED], to: NOTIFYING },
  ACKNOWLEDGE: { from: [RAISED, NOTIFYING], to: ACKNOWLEDGED },
  RESOLVE: { from: [RAISED, NOTIFYING, ACKNOWLEDGED], to: RESOLVED },
};
