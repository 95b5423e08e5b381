import { Injectable } from '@nestjs/common';
import { CONTENT_STATE } from '@family-watch/domain/family-cloud/contracts/content';
import { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';

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
