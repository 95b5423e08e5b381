/** Maximum number of active shares per cloud. */
export const MAX_SHARES_PER_CLOUD = 1_000;
/** Maximum number of files in one share. */
export const MAX_CONTENTS_PER_SHARE = 200;
