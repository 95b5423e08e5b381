import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import { SIGNED_URL_TTL_MS, DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/rendition';
import type { DownloadVariant } from '@family-watch/domain/family-cloud/contracts/content';
import type { FileDownLoadUrlDto, GetFileDownLoadUrlDto } from '@family-watch/domain/family-cloud/dto/download.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { LinkHolderService } from '../blobs/link-holder.service.js';
import { mayIn } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupported } from '../clouds/supported-types.js';
import type { LinkFacts } from '../links/link-token.js';
import { LinkVerifier } from '../links/link-verifier.service.js';
import { ThumbnailLinks } from '../links/thumbnail-links.service.js';
import { RenditionService } from '../media/rendition.service.js';
import { AdmissionService } from './admission.service.js';
import type { Admitted } from './admission.service.js';
import type { Reading } from './long-answers.service.js';
import { fileOf } from './readable-file.js';
import type { ReadableFile } from './readable-file.js';

/** A file, and who reads it. */
export interface OpenedFile {
  file: ReadableFile;
  reading: Reading;
}

/** Addresses for reading, from the making to the use. */
@Injectable()
export class DownloadService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly holders: LinkHolderService,
    private readonly admission: AdmissionService,
    private readonly addresses: LinkVerifier,
    private readonly links: ThumbnailLinks,
    private readonly renditions: RenditionService,
  ) {}

  /**
   * @param origin what the caller reaches the service by
   * @throws ServiceError CONTENT_NOT_FOUND for what the caller may not see, and for a thumbnail that there is not;
   * PERMISSION_MISSING for who may read nothing but what is shared with them
   */
  async link(caller: Principal, request: GetFileDownLoadUrlDto, origin: string): Promise<FileDownLoadUrlDto> {
    assertSupported(request);
    const { cloudID, contentID, variant = DOWNLOAD_VARIANT.ORIGINAL } = request;
    const actor = await this.access.admit(cloudID, caller);
    const admitted = await this.admission.admitSoon(actor, caller, contentID);
    if (!admitted && !mayIn(actor, CLOUD_RIGHT.READ)) throw new ServiceError('PERMISSION_MISSING');
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
    const stands = async () => (await this.admittedBy(facts))?.outside === admitted.outside;
    return { file, reading: { holder: facts.principal, stands } };
  }

  private async admittedBy(facts: LinkFacts): Promise<Admitted | undefined> {
    const reader = this.holders.principalOf(facts);
    return reader && this.admission.admit(reader, facts);
  }

  private async fileFor({ content, outside }: Admitted, variant: DownloadVariant): Promise<ReadableFile | undefined> {
    const { blobKey } = content;
    if (variant === DOWNLOAD_VARIANT.THUMBNAIL) {
      const thumbnail = await this.renditions.find(blobKey, RENDITION_KIND.THUMBNAIL);
      return thumbnail && fileOf(content, thumbnail);
    }
    if (!outside) return fileOf(content, content);
    const shared = await this.renditions.make(blobKey, RENDITION_KIND.SHARED);
    return shared && fileOf(content, shared);
  }
}
