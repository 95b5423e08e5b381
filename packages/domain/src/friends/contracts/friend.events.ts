import type { FriendApplicationState } from '../../messages/contracts/watch-notices.js';

/** One of the two children, and the family that speaks for it. */
export interface FriendSide {
  familyId: string;
  cid: string;
  /** The child's watch, `null` while there is none. */
  did: number | null;
}

/** Key: `familyId` of one of the two, always the same for a pair. */
export interface FriendEvents {
  /** Both families and watches are to know; `from` applied. `time`: Unix milliseconds. */
  'userctx.friend-application.changed': {
    applicationId: string;
    /** `did` here is that of the watch that applied, which the child may have no longer. */
    from: FriendSide & { did: number };
    to: FriendSide;
    state: FriendApplicationState;
    time: number;
  };
  /** Both families agree: the two children may talk, until it ends. `version` rises with each change. */
  'userctx.friendship.changed': {
    friendshipId: string;
    version: number;
    sides: [FriendSide, FriendSide];
    active: boolean;
    time: number;
  };
}
