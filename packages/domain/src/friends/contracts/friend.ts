/** Friends of a child, applications that are open among them. */
export const FRIEND_LIMIT = 50;

/** How long a watch's friend code can be used, in seconds. */
export const FRIEND_CODE_LIFETIME = 300;
