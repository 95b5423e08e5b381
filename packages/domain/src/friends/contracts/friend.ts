/** Maximum number of friends per child, including open friend requests. */
export const MAX_FRIENDS_PER_CHILD = 50;

/** How long the friend code of a watch is valid, in seconds. */
export const FRIEND_CODE_TTL_SECONDS = 300;
