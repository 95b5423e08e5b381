/** Maximum number of albums per cloud. */
export const MAX_ALBUMS_PER_CLOUD = 1_000;
/** Maximum number of files per album, including files in the recycle bin. */
export const MAX_CONTENTS_PER_ALBUM = 10_000;
/** Maximum number of files that one request adds to or removes from an album. */
export const MAX_ALBUM_CHANGES_PER_REQUEST = 1_000;
