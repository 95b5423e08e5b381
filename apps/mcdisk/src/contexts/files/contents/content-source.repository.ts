import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { CONTENT_DIGEST_PAGE_SIZE, CONTENT_ID_PAGE_SIZE } from '@family-watch/domain/kernel/contracts/snapshot-source';
import type { ContentDigest, ContentSource } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { LIST_DIGESTS } from './contents.sql.js';

/** Returns the available contents of family clouds to the apps that project them. */
@Injectable()
export class ContentSourceRepository implements ContentSource {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  listDigests(after: string | null): Promise<ContentDigest[]> {
    return this.unitOfWork.executor.query<ContentDigest>(LIST_DIGESTS, [after, CONTENT_DIGEST_PAGE_SIZE]);
  }

  async listIds(cloudId: string, after: string | null): Promise<string[]> {
    const rows = await this.unitOfWork.manager
      .createQueryBuilder(ContentEntity, 'content')
      .select('content.contentId', 'id')
      .where({ cloudId, state: CONTENT_STATE.ACTIVE, ...(after !== null && { contentId: MoreThan(after) }) })
      .orderBy('content.contentId')
      .limit(CONTENT_ID_PAGE_SIZE)
      .getRawMany<{ id: string }>();
    return rows.map(({ id }) => id);
  }
}
