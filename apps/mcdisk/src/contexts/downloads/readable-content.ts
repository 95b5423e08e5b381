/** What reading needs of an active content. */
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
  /** Unix milliseconds; its bytes never change afterwards. */
  createdAt: number;
}
