import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type {
  ModifyContentInfoDto,
  QueryContentInfoDto,
  ContentDto,
} from '@family-watch/domain/family-cloud/dto/content.dto';
import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entities';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { hasRight, canSee } from '../../clouds/cloud-actor.js';
import type { CloudActor } from '../../clouds/cloud-actor.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../../clouds/cloud-request.js';
import { SharedContentsService } from '../../sharing/shared-contents.service.js';
import { ContentPresenterService } from './content-presenter.service.js';
import { ContentRepository } from './content.repository.js';

/** Returns and changes the properties of a file. */
@Injectable()
export class ContentService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly contents: ContentRepository,
    private readonly presenter: ContentPresenterService,
    private readonly shared: SharedContentsService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** @throws ServiceError CONTENT_NOT_FOUND, also for contents that are in the recycle bin or not visible */
  async find(caller: Principal, origin: string, request: QueryContentInfoDto): Promise<ContentDto> {
    assertSupportedTypes(request);
    const { cloudID, contentID } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const content = isUuid(contentID) ? await this.contents.findActive(cloudID, contentID) : null;
    const recipient = { cloudID, caller, origin };
    if (!content || canRead(actor, content)) return this.toDto(assertVisible(actor, content), recipient);
    if (!(await this.shared.isShared(actor, contentID))) throw new ServiceError('CONTENT_NOT_FOUND');
    // The response does not disclose the folder of a content that is only shared with the caller.
    return this.toDto({ ...content, parentFolderId: null }, recipient);
  }

  /**
   * Modifies a file. The caller needs the right to delete, or the right to add if they uploaded the file.
   * @throws ServiceError CONTENT_NOT_FOUND, PERMISSION_MISSING
   */
  async modify(caller: Principal, origin: string, request: ModifyContentInfoDto): Promise<ContentDto> {
    assertSupportedTypes(request);
    const { cloudID, contentID, contentName, shottime } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const modified = await this.unitOfWork.run(async () => {
      const found = isUuid(contentID) ? await this.contents.lockActive(cloudID, contentID) : null;
      const content = assertVisible(actor, found);
      if (!canModify(actor, content)) throw new ServiceError('PERMISSION_MISSING');
      const properties = {
        name: contentName ?? content.name,
        capturedAt: shottime === undefined ? content.capturedAt : shottime,
      };
      if (properties.name === content.name && properties.capturedAt === content.capturedAt) return content;
      const changes = { ...properties, updatedAt: Date.now() };
      await this.contents.update(cloudID, contentID, changes);
      return { ...content, ...changes };
    });
    return this.toDto(modified, { cloudID, caller, origin });
  }

  private async toDto(
    content: ContentEntity,
    recipient: Parameters<ContentPresenterService['toDtos']>[1],
  ): Promise<ContentDto> {
    const [dto] = await this.presenter.toDtos([content], recipient);
    if (!dto) throw new TypeError('One content must have one DTO');
    return dto;
  }
}

/**
 * Checks that the actor sees the content. A content that is not visible is treated like an unknown one.
 * @throws ServiceError CONTENT_NOT_FOUND
 */
function assertVisible(actor: CloudActor, content: ContentEntity | null): ContentEntity {
  if (!content || !canRead(actor, content)) throw new ServiceError('CONTENT_NOT_FOUND');
  return content;
}

function canRead(actor: CloudActor, { cid }: ContentEntity): boolean {
  return hasRight(actor, CLOUD_RIGHT.READ) && canSee(actor, cid);
}

function canModify(actor: CloudActor, { uploader }: ContentEntity): boolean {
  return hasRight(actor, CLOUD_RIGHT.DELETE) || (hasRight(actor, CLOUD_RIGHT.ADD) && uploader === actor.principal);
}
