import type { ReadableContent } from '../downloads/readable-content.js';

/** A content that is read by a share or media grant, with the columns of every readable content. */
export type SharedContent = ReadableContent;

/** Columns of a {@link SharedContent}, for statements in which `c` is the alias of the content table. */
export const SHARED_COLUMNS = `c.content_id AS "contentId", c.cloud_id AS "cloudId", c.cid, c.blob_key AS "blobKey",
  c.name, c.size, c.digest, c.media_type AS "mediaType", c.created_at AS "createdAt"`;
