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
  /** Unix milliseconds; the bytes never change afterwards. */
  createdAt: number;
}
