import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import type { SosState } from '@family-watch/domain/sos/contracts/sos';

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
