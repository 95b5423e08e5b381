import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { ReadableContent } from './readable-content.js';

/** Names a content in a family's cloud. `contentId`: in UUID form. */
export interface ContentKey {
  cloudId: string;
  contentId: string;
}

/** A content and who belongs to its family, both at one moment. */
export interface ContentWithFamily {
  content: ReadableContent;
  family: FamilySnapshot;
}

interface Row extends ReadableContent {
  snapshot: FamilySnapshot | null;
}

/** The members come once per family, however many of its contents are asked for. */
const FIND = `
  SELECT c.content_id AS "contentId", c.cloud_id AS "cloudId", c.cid, c.blob_key AS "blobKey", c.name, c.size,
         c.digest, c.media_type AS "mediaType", c.created_at AS "createdAt",
         CASE WHEN row_number() OVER (PARTITION BY c.cloud_id) = 1 THEN p.snapshot END AS snapshot
    FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::uuid[]) AS asked (cloud_id, content_id)) AS asked
    JOIN mcdisk.content c ON c.content_id = asked.content_id AND c.cloud_id = asked.cloud_id
    JOIN mcdisk.family_projection p ON p.family_id = c.cloud_id
   WHERE c.state = 'ACTIVE'`;

/** What those who read at one moment need, in one statement. */
@Injectable()
export class ReadableContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** In the order asked; `undefined` for what is not there, or not in that cloud, or not active. */
  async findMany(asked: readonly ContentKey[]): Promise<(ContentWithFamily | undefined)[]> {
    const rows = await this.unitOfWork.prepared.query<Row>(FIND, [
      textArray(asked.map(({ cloudId }) => cloudId)),
      uuidArray(asked.map(({ contentId }) => contentId)),
    ]);
    const families = new Map(rows.flatMap(({ cloudId, snapshot }) => (snapshot ? [[cloudId, snapshot]] : [])));
    const contents = new Map(rows.map(({ snapshot: _, ...content }) => [content.contentId, content]));
    return asked.map(({ cloudId, contentId }) => {
      const content = contents.get(contentId);
      const family = families.get(cloudId);
      return content && family && content.cloudId === cloudId ? { content, family } : undefined;
    });
  }
}
