import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { textArray, uuidArray } from '@family-watch/platform/database/binary-array';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { ReadableContent } from '../clouds/content-columns.js';
import { FIND_CONTENTS_WITH_FAMILIES } from './downloads.sql.js';

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
