import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { PresentedContent } from '../files/contents/content-presenter.service.js';
import type { ShareWithVisibility } from './shared-contents.service.js';

/** A content that a share contains individually, not through a folder or album. */
interface IndividualContent {
  shareId: string;
  contentId: string;
}

/** Selects shares with their visibility. Parameter `$1` is the cloud id, and `$2` contains the shares as JSON. */
const SHARES_SQL = `
  SELECT share.authorization_id, share.catalog_id, share.photo_id, seen."only", seen.cids
    FROM jsonb_to_recordset($2::jsonb) AS seen (id uuid, "only" boolean, cids jsonb)
    JOIN mcdisk.share ON share.authorization_id = seen.id AND share.cloud_id = $1`;

/** Returns the rule of `canSee` as a SQL condition, for a column with a child id and the visibility of a share. */
function isVisibleSql(column: string): string {
  return `(${column} IS NULL OR (named.cids ? ${column}) = named."only")`;
}

const INDIVIDUAL_CONTENTS_SQL = `
  SELECT shares.*, listed.content_id FROM shares JOIN mcdisk.share_content listed USING (authorization_id)`;

/**
 * Selects all contents that the shares show. A shared album that is no longer visible to the creator of the share shows
 * no contents.
 */
const SHARED_CONTENTS_SQL = `
    FROM (${INDIVIDUAL_CONTENTS_SQL}
          UNION ALL
          SELECT named.*, placed.content_id FROM shares named
            JOIN mcdisk.album USING (photo_id) JOIN mcdisk.album_content placed USING (photo_id)
           WHERE ${isVisibleSql('album.cid')}
          UNION ALL
          SELECT shares.*, inside.content_id FROM shares
            JOIN mcdisk.catalog ON catalog.chain @> ARRAY[shares.catalog_id] AND catalog.state = 'ACTIVE'
             AND catalog.cloud_id = $1
            JOIN mcdisk.content inside ON inside.parent_catalog_id = catalog.catalog_id) named
    JOIN mcdisk.content c ON c.content_id = named.content_id
   WHERE c.cloud_id = $1 AND c.state = 'ACTIVE' AND ${isVisibleSql('c.cid')}`;

/** Finds the contents that shares show. */
@Injectable()
export class SharedContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async contains(cloudId: string, shares: readonly ShareWithVisibility[], contentId: string): Promise<boolean> {
    const rows = await this.unitOfWork.prepared.query(
      `WITH shares AS (${SHARES_SQL}) SELECT ${SHARED_CONTENTS_SQL} AND c.content_id = $3 LIMIT 1`,
      [cloudId, toJson(shares), contentId],
    );
    return rows.length > 0;
  }

  /** Returns one page of the shared contents, newest first. Each content occurs once, even in several shares. */
  findPage(
    cloudId: string,
    shares: readonly ShareWithVisibility[],
    { limit, offset }: { limit: number; offset: number },
  ): Promise<PresentedContent[]> {
    return this.unitOfWork.prepared.query<PresentedContent>(
      `WITH shares AS (${SHARES_SQL})
       SELECT content_id AS "contentId", NULL AS "parentFolderId", blob_key AS "blobKey", name, size, digest, type,
              uploader, state, created_at AS "createdAt", updated_at AS "updatedAt", shot_at AS "capturedAt"
         FROM mcdisk.content WHERE content_id IN (SELECT c.content_id ${SHARED_CONTENTS_SQL})
        ORDER BY created_at DESC, content_id LIMIT $3 OFFSET $4`,
      [cloudId, toJson(shares), limit, offset],
    );
  }

  async count(cloudId: string, shares: readonly ShareWithVisibility[]): Promise<number> {
    const [row] = await this.unitOfWork.prepared.query<{ count: number }>(
      `WITH shares AS (${SHARES_SQL}) SELECT count(DISTINCT c.content_id)::int AS count ${SHARED_CONTENTS_SQL}`,
      [cloudId, toJson(shares)],
    );
    return row?.count ?? 0;
  }

  /** Returns the distinct media types of the contents that a share shows. */
  async findMediaTypes(cloudId: string, share: ShareWithVisibility): Promise<string[]> {
    const rows = await this.unitOfWork.prepared.query<{ mediaType: string }>(
      `WITH shares AS (${SHARES_SQL}) SELECT DISTINCT c.media_type AS "mediaType" ${SHARED_CONTENTS_SQL}`,
      [cloudId, toJson([share])],
    );
    return rows.map(({ mediaType }) => mediaType);
  }

  /** Returns the active and visible contents that are shared individually, by share. */
  async findIndividual(cloudId: string, shares: readonly ShareWithVisibility[]): Promise<Map<string, string[]>> {
    const rows = await this.unitOfWork.prepared.query<IndividualContent>(
      `WITH shares AS (${SHARES_SQL})
       SELECT named.authorization_id AS "shareId", c.content_id AS "contentId"
         FROM (${INDIVIDUAL_CONTENTS_SQL}) named JOIN mcdisk.content c ON c.content_id = named.content_id
        WHERE c.cloud_id = $1 AND c.state = 'ACTIVE' AND ${isVisibleSql('c.cid')}
        ORDER BY c.created_at DESC, c.content_id`,
      [cloudId, toJson(shares)],
    );
    const named = Map.groupBy(rows, ({ shareId }) => shareId);
    return new Map([...named].map(([id, contents]) => [id, contents.map(({ contentId }) => contentId)]));
  }
}

function toJson(shares: readonly ShareWithVisibility[]): string {
  return JSON.stringify(
    shares.map(({ shareId, visibility: { mode, cids } }) => ({ id: shareId, only: mode === 'ONLY', cids })),
  );
}
