import { SOS_STATE } from '@family-watch/domain/sos/contracts/sos';
import type { SosState } from '@family-watch/domain/sos/contracts/sos';

const { RAISED, NOTIFYING, ACKNOWLEDGED, RESOLVED } = SOS_STATE;

export type SosTransition = 'NOTIFY' | 'ACKNOWLEDGE' | 'RESOLVE';

/**
 * Source states and target state of each transition. In any other state the transition has no effect. No transition
 * leads to an earlier state.
 */
export const SOS_TRANSITIONS: Readonly<Record<SosTransition, { from: readonly SosState[]; to: SosState }>> = {
  NOTIFY: { from: [RAISED], to: NOTIFYING },
  ACKNOWLEDGE: { from: [RAISED, NOTIFYING], to: ACKNOWLEDGED },
  RESOLVE: { from: [RAISED, NOTIFYING, ACKNOWLEDGED], to: RESOLVED },
};
