import type { FenceEventType } from './fence.js';

/** Key: `familyId`. */
export interface FenceEvents {
  /** A child crossed or dwelled in a fence, did not arrive, or left early. */
  'userctx.fence.triggered': {
    familyId: string;
    cid: string;
    did: number;
    fenceId: string;
    fenceEventId: string;
    type: FenceEventType;
    /** Time of the fix that caused the event, or the deadline of the attendance window. Unix milliseconds. */
    time: number;
    /** True if the event was detected long after its time. */
    late: boolean;
  };
}
