import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';

/** The columns of a content that are returned to callers. */
export type PresentedContent = Omit<ContentEntity, 'cloudId' | 'cid' | 'mediaType' | 'recycledAt' | 'purgeAt'>;

/** The columns of an active content that are needed to check a reader's access and to send the bytes. */
export type ReadableContent = Pick<
  ContentEntity,
  'contentId' | 'cloudId' | 'cid' | 'name' | 'size' | 'digest' | 'mediaType' | 'createdAt'
> & { blobKey: string };

/** Columns of a {@link PresentedContent}. */
export const PRESENTED_COLUMNS = `content_id AS "contentId", parent_catalog_id AS "parentFolderId", blob_key AS "blobKey",
  name, size, digest, type, uploader, state, created_at AS "createdAt", updated_at AS "updatedAt",
  shot_at AS "capturedAt"`;

/** Columns of a {@link ReadableContent}, for statements in which `c` is the alias of the content table. */
export const READABLE_COLUMNS = `c.content_id AS "contentId", c.cloud_id AS "cloudId", c.cid, c.blob_key AS "blobKey",
  c.name, c.size, c.digest, c.media_type AS "mediaType", c.created_at AS "createdAt"`;

/** Columns of a `LockedContent`, for every statement that locks contents. */
export const LOCKED_COLUMNS = `content_id AS "contentId", cloud_id AS "cloudId",
  parent_catalog_id AS "parentFolderId", cid, blob_key AS "blobKey", size, state`;
