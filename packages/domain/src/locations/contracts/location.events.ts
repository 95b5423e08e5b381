import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Location } from './location.js';

/** Key of `userctx.*`: `familyId`; of `gateway.*`: `watch:<did>`. */
export interface LocationEvents {
  /** A watch's points, committed to the gateway's outbox before they were acknowledged. `receivedAt`: Unix milliseconds. */
  'gateway.location.reported': { did: number; points: Location[]; receivedAt: number };
  /** The child's newest position changed. */
  'userctx.location.changed': { familyId: string; cid: string; did: number; location: Location };
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
}
