import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { SIGNED_URL_TTL_MS, DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/rendition';
import type { DownloadVariant } from '@family-watch/domain/family-cloud/contracts/content';
import type { FileDownLoadUrlDto, GetFileDownLoadUrlDto } from '@family-watch/domain/family-cloud/dto/download.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UrlHolderService } from '../blobs/url-holder.service.js';
import { hasRight } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../clouds/supported-types.js';
import type { SignedUrlClaims } from '../signed-urls/signed-url-token.js';
import { SignedUrlVerifierService } from '../signed-urls/signed-url-verifier.service.js';
import { SignedUrlService } from '../signed-urls/signed-url.service.js';
import { RenditionService } from '../media/rendition.service.js';
import { ReadAccessService } from './read-access.service.js';
import type { ReadAccess } from './read-access.service.js';
import type { StreamReader } from './streaming-response.service.js';
import { toReadableFile } from './readable-file.js';
import type { ReadableFile } from './readable-file.js';

/** A file, and who reads it. */
export interface OpenedFile {
  file: ReadableFile;
  reading: StreamReader;
}

/** Addresses for reading, from the making to the use. */
@Injectable()
export class DownloadService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly holders: UrlHolderService,
    private readonly admission: ReadAccessService,
    private readonly addresses: SignedUrlVerifierService,
    private readonly links: SignedUrlService,
    private readonly renditions: RenditionService,
  ) {}

  /**
   * @param origin what the caller reaches the service by
   * @throws ServiceError CONTENT_NOT_FOUND for what the caller may not see, and for a thumbnail that there is not;
   * PERMISSION_MISSING for who may read nothing but what is shared with them
   */
  async link(caller: Principal, request: GetFileDownLoadUrlDto, origin: string): Promise<FileDownLoadUrlDto> {
    assertSupportedTypes(request);
    const { cloudID, contentID, variant = DOWNLOAD_VARIANT.ORIGINAL } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const admitted = await this.admission.authorizeAfterWait(actor, caller, contentID);
    if (!admitted && !hasRight(actor, CLOUD_RIGHT.READ)) throw new ServiceError('PERMISSION_MISSING');
    if (!admitted || !(await this.fileFor(admitted, variant))) throw new ServiceError('CONTENT_NOT_FOUND');
    const now = Date.now();
    const downloadURL = this.links.urlFor({ cloudID, caller, origin }, contentID, variant, now);
    return { downloadURL, expireTime: now + SIGNED_URL_TTL_MS };
  }

  /** @throws ServiceError LINK_NOT_FOUND unless address, holder, access and content all still stand */
  async resolve(token: string): Promise<OpenedFile> {
    const facts = await this.addresses.verify(token);
    const admitted = facts && (await this.admittedBy(facts));
    const file = admitted && (await this.fileFor(admitted, facts.variant));
    if (!file) throw new ServiceError('LINK_NOT_FOUND');
    // An answer that was begun in time may take longer than its address works, and never longer than the access.
    const isStillAllowed = async () => (await this.admittedBy(facts))?.isSharedAccess === admitted.isSharedAccess;
    return { file, reading: { holder: facts.principal, isStillAllowed } };
  }

  private async admittedBy(facts: SignedUrlClaims): Promise<ReadAccess | undefined> {
    const reader = this.holders.principalOf(facts);
    return reader && this.admission.authorize(reader, facts);
  }

  private async fileFor(
    { content, isSharedAccess }: ReadAccess,
    variant: DownloadVariant,
  ): Promise<ReadableFile | undefined> {
    const { blobKey } = content;
    if (variant === DOWNLOAD_VARIANT.THUMBNAIL) {
      const thumbnail = await this.renditions.find(blobKey, RENDITION_KIND.THUMBNAIL);
      return thumbnail && toReadableFile(content, thumbnail);
    }
    if (!isSharedAccess) return toReadableFile(content, content);
    const shared = await this.renditions.findOrGenerate(blobKey, RENDITION_KIND.SHARED);
    return shared && toReadableFile(content, shared);
  }
}
