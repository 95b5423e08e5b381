/** The numbers that clients of the family cloud send; nothing else is supported. */
export const FAMILY_CLOUD_TYPE = 1;
export const FAMILY_CATALOG_TYPE = 3;

/** Path of the root catalog; the catalogs below it follow as `/<catalogID>`. */
export const ROOT_PATH = 'root:';

/** Kind of a content, told from its bytes and never from its name. */
export const CONTENT_TYPE = { IMAGE: 1, AUDIO: 2, VIDEO: 3, DOCUMENT: 4, OTHER: 5 } as const;
export type ContentType = (typeof CONTENT_TYPE)[keyof typeof CONTENT_TYPE];

/** A purged content keeps its row, so that deleting it again is answered as before. */
export const CONTENT_STATE = { ACTIVE: 'ACTIVE', RECYCLED: 'RECYCLED', PURGED: 'PURGED' } as const;
export type ContentState = (typeof CONTENT_STATE)[keyof typeof CONTENT_STATE];

export const CONTENT_SORT = { UPDATE_TIME: 0, NAME: 1, SIZE: 2, CREATE_TIME: 3 } as const;
export type ContentSort = (typeof CONTENT_SORT)[keyof typeof CONTENT_SORT];

export const SORT_DIRECTION = { ASCENDING: 0, DESCENDING: 1 } as const;
export type SortDirection = (typeof SORT_DIRECTION)[keyof typeof SORT_DIRECTION];

/** Ids that one deleteContents may name. */
export const MAX_CONTENTS_PER_DELETE = 1_000;
/** Files that one getFileUploadURL may announce. */
export const MAX_FILES_PER_UPLOAD_SESSION = 100;
/** Bytes of one PUT; what is larger needs a resumable upload. */
export const MAX_PUT_BYTES = 512 * 1024 * 1024;
/** Bytes of UTF-8: what file systems that a family copies to can hold. */
export const MAX_NAME_BYTES = 255;
/** Time in the recycle bin, milliseconds. */
export const RECYCLE_BIN_RETENTION_MS = 30 * 24 * 60 * 60 * 1_000;
/** How long an upload or download address works, milliseconds. */
export const SIGNED_URL_TTL_MS = 5 * 60 * 1_000;
/** Which bytes of a content an address gives; an outsider who asks for the original gets what may be shared of it. */
export const DOWNLOAD_VARIANT = { ORIGINAL: 1, THUMBNAIL: 2 } as const;
export type DownloadVariant = (typeof DOWNLOAD_VARIANT)[keyof typeof DOWNLOAD_VARIANT];
/** Contents of a cloud, the recycle bin and announced ones included: empty files and copies cost no bytes, but rows. */
export const MAX_CONTENTS_PER_CLOUD = 1_000_000;

/** Bytes of a new cloud. */
export const DEFAULT_QUOTA_BYTES = 20 * 1024 * 1024 * 1024;
/** Bytes of one upload, resumable; no more than fits into a cloud. */
export const MAX_UPLOAD_BYTES = 8 * 1024 * 1024 * 1024;
/** How long an upload that stands still can be resumed, milliseconds. */
export const UPLOAD_IDLE_TIMEOUT_MS = 24 * 60 * 60 * 1_000;
/** Time between the last reference to a blob and its removal, milliseconds. */
export const CONDEMNED_BLOB_GRACE_MS = 7 * 24 * 60 * 60 * 1_000;
/** Folders in one another. */
export const MAX_FOLDER_DEPTH = 16;
/** Folders of one cloud. */
export const MAX_FOLDERS_PER_CLOUD = 10_000;
