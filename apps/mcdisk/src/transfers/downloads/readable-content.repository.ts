import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { READABLE_COLUMNS, type ReadableContent } from '../../clouds/content-columns.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

/**
 * The result contains the membership snapshot of each family only once, regardless of the number of contents that are
 * found.
 */
const FIND_CONTENTS_WITH_FAMILIES = prepared(`
  SELECT ${READABLE_COLUMNS},
         CASE WHEN row_number() OVER (PARTITION BY c.cloud_id) = 1 THEN p.snapshot END AS snapshot
    FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS requested (cloud_id, content_id)) AS requested
    JOIN mcdisk.content c ON c.content_id = requested.content_id AND c.cloud_id = requested.cloud_id
    JOIN mcdisk.family_projection p ON p.family_id = c.cloud_id
   WHERE c.state = 'ACTIVE'`);

const FIND_RECYCLED_CONTENT = prepared(`
  SELECT ${READABLE_COLUMNS} FROM mcdisk.content c
   WHERE c.cloud_id = $1 AND c.content_id = $2::uuid AND c.state = 'RECYCLED'`);

/** Identifies a content of a family cloud. `contentId` must be a UUID. */
export type ContentKey = Pick<ReadableContent, 'cloudId' | 'contentId'>;

/** A content and the snapshot of its family, read in one statement. */
export interface ContentWithFamily {
  content: ReadableContent;
  family: FamilySnapshot;
}

interface ContentRow extends ReadableContent {
  snapshot: FamilySnapshot | null;
}

/** Reads the contents of concurrent requests in one statement. */
@Injectable()
export class ReadableContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns a content that is in the recycle bin. */
  async findRecycled({ cloudId, contentId }: ContentKey): Promise<ReadableContent | undefined> {
    return (await this.unitOfWork.executor.query<ReadableContent>(FIND_RECYCLED_CONTENT, [cloudId, contentId]))[0];
  }

  /** Returns the contents in the order of `keys`, with `undefined` for unknown, foreign and inactive contents. */
  async findMany(keys: readonly ContentKey[]): Promise<(ContentWithFamily | undefined)[]> {
    const rows = await this.unitOfWork.executor.query<ContentRow>(FIND_CONTENTS_WITH_FAMILIES, [
      textArray(keys.map(({ cloudId }) => cloudId)),
      uuidArray(keys.map(({ contentId }) => contentId)),
    ]);
    const families = new Map(rows.flatMap(({ cloudId, snapshot }) => (snapshot ? [[cloudId, snapshot]] : [])));
    const contents = new Map(rows.map(({ snapshot: _, ...content }) => [content.contentId, content]));
    return keys.map(({ cloudId, contentId }) => {
      const content = contents.get(contentId);
      const family = families.get(cloudId);
      return content && family && content.cloudId === cloudId ? { content, family } : undefined;
    });
  }
}
