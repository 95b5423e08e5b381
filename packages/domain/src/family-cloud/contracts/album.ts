/** Albums of one cloud. */
export const MAX_ALBUMS_PER_CLOUD = 1_000;
/** Contents of one album, those in the recycle bin included. */
export const MAX_CONTENTS_PER_ALBUM = 10_000;
/** Contents that one request puts into an album or takes out of it. */
export const MAX_ALBUM_CHANGES_PER_REQUEST = 1_000;
