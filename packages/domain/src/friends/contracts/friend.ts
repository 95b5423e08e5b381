/** Friends of a child, applications that are open among them. */
export const MAX_FRIENDS_PER_CHILD = 50;

/** How long a watch's friend code can be used, in seconds. */
export const FRIEND_CODE_TTL_SECONDS = 300;
