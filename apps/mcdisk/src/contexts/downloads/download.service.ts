import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { LINK_LIFETIME_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { GetFileDownLoadUrlDto } from '@family-watch/domain/family-cloud/dto/download.dto';
import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { BlobStore } from '../blobs/blob-store.js';
import type { ByteRange } from '../blobs/blob-store.js';
import { hashOf, mintCapability } from '../blobs/capability.js';
import { LinkHolderService } from '../blobs/link-holder.service.js';
import { sees } from '../clouds/cloud.access.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupported } from '../clouds/supported-types.js';
import { ContentRepository } from '../contents/content.repository.js';
import { DownloadLinkRepository } from './download-link.repository.js';

/** An address for reading, by its secret part. `expireTime`: Unix milliseconds. */
export interface DownloadLink {
  token: string;
  expireTime: number;
}

@Injectable()
export class DownloadService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly holders: LinkHolderService,
    private readonly contents: ContentRepository,
    private readonly links: DownloadLinkRepository,
    private readonly store: BlobStore,
  ) {}

  /** @throws ServiceError CONTENT_NOT_FOUND for what the caller may not see, too */
  async link(caller: Principal, request: GetFileDownLoadUrlDto): Promise<DownloadLink> {
    assertSupported(request);
    const actor = await this.access.admitWith(request.cloudID, caller, CLOUD_RIGHT.READ);
    const content = await this.findVisible(actor, request.contentID);
    if (!content) throw new ServiceError('CONTENT_NOT_FOUND');
    const { token, hash } = mintCapability();
    const createdAt = Date.now();
    const expiresAt = createdAt + LINK_LIFETIME_MS;
    await this.links.insert({
      tokenHash: hash,
      cloudId: actor.cloudID,
      contentId: content.contentId,
      principal: principalKey(caller),
      sessionId: caller.sessionId,
      createdAt,
      expiresAt,
    });
    return { token, expireTime: expiresAt };
  }

  /** @throws ServiceError LINK_NOT_FOUND unless address, holder, access and content all still stand */
  async resolve(token: string): Promise<ContentEntity> {
    const link = await this.links.findByTokenHash(hashOf(token));
    if (!link || link.expiresAt <= Date.now()) throw new ServiceError('LINK_NOT_FOUND');
    const actor = await this.holders.find(link, CLOUD_RIGHT.READ);
    const content = actor && (await this.findVisible(actor, link.contentId));
    if (!content) throw new ServiceError('LINK_NOT_FOUND');
    return content;
  }

  /** @throws BlobMissingError when the store has lost what the database refers to */
  open({ blobKey }: ContentEntity, range?: ByteRange): Promise<Readable> {
    if (blobKey === null) throw new TypeError('An active content has a blob');
    return this.store.open(blobKey, range);
  }

  private async findVisible(actor: CloudActor, contentId: string): Promise<ContentEntity | undefined> {
    if (!isUuid(contentId)) return undefined;
    const content = await this.contents.findActive(actor.cloudID, contentId);
    return content && sees(actor, content.cid) ? content : undefined;
  }
}
