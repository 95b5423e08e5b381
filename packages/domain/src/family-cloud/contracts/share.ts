/** Shares of one cloud that are not over. */
export const MAX_SHARES_PER_CLOUD = 1_000;
/** Contents that one share names. */
export const MAX_CONTENTS_PER_SHARE = 200;
