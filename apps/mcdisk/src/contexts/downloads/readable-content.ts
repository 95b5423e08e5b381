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
  /** Unix milliseconds. The bytes of a content never change after this time. */
  createdAt: number;
}
