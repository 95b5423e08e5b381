import type { FriendRequestState } from '../../messages/contracts/payloads.js';

/** Maximum number of friends per child, including open friend requests. */
export const MAX_FRIENDS_PER_CHILD = 50;

/** How long the friend code of a watch is valid, in seconds. */
export const FRIEND_CODE_TTL_SECONDS = 300;

/** One of the two children of a friendship, and its family. */
export interface FriendshipParty {
  familyId: string;
  cid: string;
  /** The child's watch (`did`); `null` while no watch is bound. */
  did: number | null;
}

/** Key: `familyId` of one of the two children; always the same `familyId` for the same two children. */
export interface FriendEvents {
  /**
   * A friend request changed; `from` sent the request. Both families and watches are notified. `time`: Unix
   * milliseconds.
   */
  'userctx.friend-application.changed': {
    applicationId: string;
    /** `did` is the watch that sent the friend request; this watch may no longer be bound to the child. */
    from: FriendshipParty & { did: number };
    to: FriendshipParty;
    state: FriendRequestState;
    time: number;
  };
  /** A friendship began or ended. While `active`, the two children may chat. `version` increases with each change. */
  'userctx.friendship.changed': {
    friendshipId: string;
    version: number;
    sides: [FriendshipParty, FriendshipParty];
    active: boolean;
    time: number;
  };
}
