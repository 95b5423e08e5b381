import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Location } from './location.js';

/** Key of `userctx.*`: `familyId`; of `gateway.*`: `watch:<did>`. */
export interface LocationEvents {
  /** A watch's points, committed to the gateway's outbox before they were acknowledged. `receivedAt`: Unix milliseconds. */
  'gateway.location.reported': { did: number; points: Location[]; receivedAt: number };
  /**
   * The child's newest position changed. `corrects`: `positionTime` of the one that turned out wrong, in whose place an
   * older one stands now.
   */
  'userctx.location.changed': { familyId: string; cid: string; did: number; location: Location; corrects?: number };
  /** The child's only known position, of this `positionTime`, turned out wrong: nobody knows where the child is. */
  'userctx.location.withdrawn': { familyId: string; cid: string; positionTime: number };
  /** A guardian asks where the child is; the watch answers with a report before `deadline` (Unix milliseconds) or not. */
  'userctx.location.asked': {
    familyId: string;
    cid: string;
    did: number;
    askId: string;
    by: PrincipalKey;
    /** Unix milliseconds. */
    time: number;
    deadline: number;
  };
  /** Somebody outside the family can see where the child is, or cannot any longer. */
  'userctx.location-share.changed': {
    familyId: string;
    cid: string;
    shareId: string;
    active: boolean;
    by: PrincipalKey | null;
    /** Unix milliseconds. */
    time: number;
  };
}
