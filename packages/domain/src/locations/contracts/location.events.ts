import type { Location } from './location.js';

/** Key of `userctx.*`: `familyId`; of `gateway.*`: `watch:<did>`. */
export interface LocationEvents {
  /** A watch's points, committed to the gateway's outbox before they were acknowledged. `receivedAt`: Unix milliseconds. */
  'gateway.location.reported': { did: number; points: Location[]; receivedAt: number };
  /** The child's newest position changed. */
  'userctx.location.changed': { familyId: string; cid: string; did: number; location: Location };
}
