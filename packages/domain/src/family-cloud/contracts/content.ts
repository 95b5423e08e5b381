/** The only supported value of `cloudType`. */
export const FAMILY_CLOUD_TYPE = 1;
/** The only supported value of `catalogType`. */
export const FAMILY_CATALOG_TYPE = 3;

/** Path of the root folder. Each folder below the root folder adds `/<catalogID>` to the path. */
export const ROOT_PATH = 'root:';

/** Type of a file, detected from its bytes and never from its name. */
export const CONTENT_TYPE = { IMAGE: 1, AUDIO: 2, VIDEO: 3, DOCUMENT: 4, OTHER: 5 } as const;
export type ContentType = (typeof CONTENT_TYPE)[keyof typeof CONTENT_TYPE];

/**
 * States of a file. RECYCLED: in the recycle bin. PURGED: permanently deleted; the row is retained, so that a repeated
 * deletion returns the same result.
 */
export const CONTENT_STATE = { ACTIVE: 'ACTIVE', RECYCLED: 'RECYCLED', PURGED: 'PURGED' } as const;
export type ContentState = (typeof CONTENT_STATE)[keyof typeof CONTENT_STATE];

/** CAPTURE_TIME: the time of the upload for files whose capture time is unknown. */
export const CONTENT_SORT = { UPDATE_TIME: 0, NAME: 1, SIZE: 2, CREATE_TIME: 3, CAPTURE_TIME: 4 } as const;
export type ContentSort = (typeof CONTENT_SORT)[keyof typeof CONTENT_SORT];

export const SORT_DIRECTION = { ASCENDING: 0, DESCENDING: 1 } as const;
export type SortDirection = (typeof SORT_DIRECTION)[keyof typeof SORT_DIRECTION];

/** Maximum number of ids in one deleteContents request. */
export const MAX_CONTENTS_PER_DELETE = 1_000;
/** Maximum number of files in one getFileUploadURL request. */
export const MAX_FILES_PER_UPLOAD_SESSION = 100;
/** Maximum size of a file that is uploaded by one PUT, in bytes; larger files need a resumable upload. */
export const MAX_PUT_BYTES = 512 * 1024 * 1024;
/** Maximum length of the name of a file, folder or album, in bytes of UTF-8; common file systems allow no more. */
export const MAX_NAME_BYTES = 255;
/** How long files stay in the recycle bin, in milliseconds (30 days). */
export const RECYCLE_BIN_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** How long a download URL is valid, and how soon an upload must begin, in milliseconds (five minutes). */
export const SIGNED_URL_TTL_MS = 5 * 60 * 1_000;
/**
 * Variant of a file that a download URL returns. Readers outside the family receive the copy without metadata as
 * ORIGINAL.
 */
export const DOWNLOAD_VARIANT = { ORIGINAL: 1, THUMBNAIL: 2 } as const;
export type DownloadVariant = (typeof DOWNLOAD_VARIANT)[keyof typeof DOWNLOAD_VARIANT];
/** Maximum number of files per cloud, including empty files, copies, files in the recycle bin and open uploads. */
export const MAX_CONTENTS_PER_CLOUD = 1_000_000;

/** Quota of a new cloud, in bytes. */
export const DEFAULT_QUOTA_BYTES = 20 * 1024 * 1024 * 1024;
/** Maximum size of one resumable upload, in bytes; below the quota of a new cloud. */
export const MAX_UPLOAD_BYTES = 8 * 1024 * 1024 * 1024;
/** How long an upload that receives no bytes can be resumed, in milliseconds (24 hours). */
export const UPLOAD_IDLE_TIMEOUT_MS = 24 * 60 * 60 * 1_000;
/** Time between the removal of the last reference to a blob and the deletion of the blob, in milliseconds (7 days). */
export const CONDEMNED_BLOB_GRACE_MS = 7 * 24 * 60 * 60 * 1_000;
/** Maximum nesting depth of folders. */
export const MAX_FOLDER_DEPTH = 16;
/** Maximum number of folders per cloud. */
export const MAX_FOLDERS_PER_CLOUD = 10_000;

/** States of a folder. The row of a deleted folder is retained, so that a restored file can return to its folder. */
export const FOLDER_STATE = { ACTIVE: 'ACTIVE', DELETED: 'DELETED' } as const;
export type FolderState = (typeof FOLDER_STATE)[keyof typeof FOLDER_STATE];

/** Maximum number of albums per cloud. */
export const MAX_ALBUMS_PER_CLOUD = 1_000;
/** Maximum number of files per album, including files in the recycle bin. */
export const MAX_CONTENTS_PER_ALBUM = 10_000;
/** Maximum number of files that one request adds to or removes from an album. */
export const MAX_ALBUM_CHANGES_PER_REQUEST = 1_000;

/** Maximum number of active shares per cloud. */
export const MAX_SHARES_PER_CLOUD = 1_000;
/** Maximum number of files in one share. */
export const MAX_CONTENTS_PER_SHARE = 200;
