/** The columns of an active content that downloads need. */
export interface ReadableContent {
  contentId: string;
  cloudId: string;
  cid: string | null;
  blobKey: string;
  name: string;
  /** Bytes. */
  size: number;
  digest: string;
  mediaType: string;
  /** Creation time, Unix milliseconds; the bytes of a content never change afterwards. */
  createdAt: number;
}
