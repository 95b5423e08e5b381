import type { FenceEventType } from './fence.js';

/** Key: `familyId`. */
export interface FenceEvents {
  /** A child crossed a fence, stayed, or was not where it should be. */
  'userctx.fence.triggered': {
    familyId: string;
    cid: string;
    did: number;
    fenceId: string;
    fenceEventId: string;
    type: FenceEventType;
    /** When the child was there, or when the window said so. Unix milliseconds. */
    time: number;
    /** It became known long after its time. */
    late: boolean;
  };
}
