/** Shares of one cloud that are not over. */
export const MAX_SHARES = 1_000;
/** Contents that one share names. */
export const MAX_SHARED_CONTENTS = 200;
