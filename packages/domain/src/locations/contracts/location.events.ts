import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { Location } from './location.js';

/** The key of events `userctx.*` is `familyId`, and that of events `gateway.*` is `watch:<did>`. */
export interface LocationEvents {
  /**
   * A watch reported points. The gateway acknowledges the points only after it has stored this event in its outbox.
   * `receivedAt`: Unix milliseconds.
   */
  'gateway.location.reported': { did: number; points: Location[]; receivedAt: number };
  /**
   * The child's last location changed. If an older location replaces one that was reported wrong, `corrects` is the
   * `positionTime` of the wrong location.
   */
  'userctx.location.changed': { familyId: string; cid: string; did: number; location: Location; corrects?: number };
  /**
   * The child's only location, with this `positionTime`, was reported wrong. The child no longer has a last location.
   */
  'userctx.location.withdrawn': { familyId: string; cid: string; positionTime: number };
  /** A guardian requested the location. The watch should report its location before `deadline` (Unix milliseconds). */
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
  /** A location share was created or ended. */
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
