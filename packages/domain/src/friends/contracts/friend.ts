/** Friends of a child, applications that are open among them. */
export const FRIEND_LIMIT = 50;

/** How long a watch's friend code can be used, in seconds. */
export const FRIEND_CODE_LIFETIME = 300;

/** Ten characters of Crockford's alphabet, 50 random bits: no letter that is taken for another. */
export const FRIEND_CODE_PATTERN = /^[0-9A-HJKMNP-TV-Z]{10}$/;
