import type { FriendRequestState } from '../../messages/contracts/watch-notices.js';

/** One of the two children, and the family that speaks for it. */
export interface FriendshipParty {
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
    from: FriendshipParty & { did: number };
    to: FriendshipParty;
    state: FriendRequestState;
    time: number;
  };
  /** Both families agree: the two children may talk, until it ends. `version` rises with each change. */
  'userctx.friendship.changed': {
    friendshipId: string;
    version: number;
    sides: [FriendshipParty, FriendshipParty];
    active: boolean;
    time: number;
  };
}
