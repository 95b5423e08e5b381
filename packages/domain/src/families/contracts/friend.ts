import type { FriendRequestState } from '../../messages/contracts/payloads.js';

/** Maximum number of friends per child, including open friend requests. */
export const MAX_FRIENDS_PER_CHILD = 50;

/** How long the friend code of a watch is valid, in seconds. */
export const FRIEND_CODE_TTL_SECONDS = 300;

/** One of the two children of a friendship, with the child's family and watch. */
export interface FriendshipParty {
  familyId: string;
  cid: string;
  /** The child's watch (`did`); `null` while no watch is bound. */
  did: number | null;
}

/** Key: `familyId` of one of the two children. All events about the same two children have the same key. */
export interface FriendEvents {
  /**
   * The state of a friend request changed. The child `from` sent the request to the child `to`. Both families and both
   * watches are notified. `time`: Unix milliseconds.
   */
  'userctx.friend-application.changed': {
    applicationId: string;
    /** `did` is the watch that sent the friend request; this watch may no longer be bound to the child. */
    from: FriendshipParty & { did: number };
    to: FriendshipParty;
    state: FriendRequestState;
    time: number;
  };
  /**
   * A friendship began or ended. The two children may chat while `active` is true. `version` increases with each
   * change. `time`: Unix milliseconds.
   */
  'userctx.friendship.changed': {
    friendshipId: string;
    version: number;
    sides: [FriendshipParty, FriendshipParty];
    active: boolean;
    time: number;
  };
}
