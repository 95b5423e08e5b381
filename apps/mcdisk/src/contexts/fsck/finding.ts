/** What can be wrong between store and database, worst first. */
export const FINDING = {
  /** The marks say that store and database do not belong together; everything below may follow from that. */
  STORE_MARK: 'STORE_MARK',
  /** A blob has no bytes: what refers to it is lost. Only told, never repaired. */
  MISSING_BYTES: 'MISSING_BYTES',
  WRONG_SIZE: 'WRONG_SIZE',
  WRONG_DIGEST: 'WRONG_DIGEST',
  /** A content refers to a blob that has been given up, or to one of another cloud. */
  CONTENT_WITHOUT_BLOB: 'CONTENT_WITHOUT_BLOB',
  /** Folders that do not hang together. */
  CATALOG_CHAIN: 'CATALOG_CHAIN',
  /** A quota that is not the sum of what is there. */
  QUOTA: 'QUOTA',
  /** A rendition whose source or own bytes are gone. */
  RENDITION: 'RENDITION',
  /** Bytes of an upload that ended long ago. */
  STUCK_STAGED: 'STUCK_STAGED',
  /** A removal that nobody finished. */
  STUCK_DELETING: 'STUCK_DELETING',
  /** Bytes of which no row tells, older than an hour. */
  ORPHAN: 'ORPHAN',
} as const;
export type FindingKind = (typeof FINDING)[keyof typeof FINDING];

/** One thing that is wrong. */
export interface Finding {
  kind: FindingKind;
  /** Key of a blob, or id of a content, folder or cloud. */
  subject: string;
  detail: string;
  repaired: boolean;
}

/** What a check of store and database found. */
export interface FsckReport {
  /** Why nothing was repaired, although that was asked for; `undefined` otherwise. */
  refused?: string;
  /** Promoted blobs in the store, and their bytes. */
  stored: { blobs: number; bytes: number };
  /** Blobs whose bytes were read and hashed. */
  hashed: number;
  findings: Finding[];
}

/** How thoroughly to look, and what to do about it. */
export interface FsckOptions {
  repair: boolean;
  /** Blobs whose bytes are read and hashed; `Infinity` for all. */
  sample: number;
  /** Blobs that a repair may remove; one in a hundred unless given. */
  allow?: number;
}
