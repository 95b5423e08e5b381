import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';

const { ACTIVE } = CONTENT_STATE;

@Injectable()
export class ContentRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  async insert(content: ContentEntity): Promise<void> {
    await this.unitOfWork.manager.insert(ContentEntity, content);
  }

  async findActive(cloudId: string, contentId: string): Promise<ContentEntity | null> {
    return this.unitOfWork.manager.findOneBy(ContentEntity, { cloudId, contentId, state: ACTIVE });
  }

  /** Locks an active content until commit. */
  lockActive(cloudId: string, contentId: string): Promise<ContentEntity | null> {
    return this.unitOfWork.manager.findOne(ContentEntity, {
      where: { cloudId, contentId, state: ACTIVE },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** Updates the fields that callers may change. Must be called in the transaction that locked the content. */
  async update(
    cloudId: string,
    contentId: string,
    changes: Pick<ContentEntity, 'name' | 'capturedAt' | 'updatedAt'>,
  ): Promise<void> {
    await this.unitOfWork.manager.update(ContentEntity, { cloudId, contentId }, changes);
  }
}

/** Number of hex digits of an id that are derived from its cloud. */
const CLOUD_PREFIX_LENGTH = 8;

/**
 * Generates the id of a new content: random, with a prefix that all contents of a cloud share. With this prefix,
 * contents that a family reads and deletes together are adjacent in the index of ids and not on many different pages.
 */
export function newContentId(cloudId: string): string {
  return (
    createHash('sha256').update(cloudId).digest('hex').slice(0, CLOUD_PREFIX_LENGTH) +
    randomUUID().slice(CLOUD_PREFIX_LENGTH)
  );
}

/** Returns a SQL expression that generates ids like `newContentId`, from a SQL expression of the cloud id as text. */
export function newContentIdSql(cloudId: string): string {
  return `(left(encode(sha256(convert_to(${cloudId}, 'UTF8')), 'hex'), ${CLOUD_PREFIX_LENGTH})
           || substr(gen_random_uuid()::text, ${CLOUD_PREFIX_LENGTH + 1}))::uuid`;
}
