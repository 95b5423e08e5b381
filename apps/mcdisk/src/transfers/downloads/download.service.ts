import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import { SIGNED_URL_TTL_MS, DOWNLOAD_VARIANT } from '@family-watch/domain/family-cloud/contracts/content';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/blob';
import type { FileDownLoadUrlDto, GetFileDownLoadUrlDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import { parsePrincipalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { RequestLimiter } from '@family-watch/platform/http/request-limiter';
import { McdiskChildReads } from '../../infrastructure/mcdisk-infrastructure.js';
import { CloudAccessService } from '../../clouds/cloud-access.service.js';
import { hasRight, canSee, type CloudActor } from '../../clouds/cloud-actor.js';
import { assertSupportedTypes } from '../../clouds/cloud-request.js';
import { URL_VARIANT, type SignedUrlClaims, type UrlVariant } from '../../sharing/signed-urls/signed-url-token.js';
import { SignedUrlService } from '../../sharing/signed-urls/signed-url.service.js';
import { RenditionService } from '../../renditions/rendition.service.js';
import type { OpenedFile } from './file-response.js';
import { toReadableFile, type ReadableFile } from './readable-file.js';
import { GrantedMediaService } from '../../sharing/granted-media.service.js';
import { ShareService } from '../../sharing/share.service.js';
import type { ReadableContent } from '../../clouds/content-columns.js';
import { ReadableContentRepository, type ContentKey } from './readable-content.repository.js';
import { ReadableContentService } from './readable-content.service.js';

/** A content that the reader may currently read. */
interface ReadAccess {
  content: ReadableContent;
  /**
   * True when the reader has access only by a share or media grant, and so receives pictures and videos as renditions
   * without metadata.
   */
  isSharedAccess: boolean;
}

/**
 * Creates and resolves signed URLs of files. A reader may read a file if they have the right to read in the
 * cloud and the file is visible to them, if the file is shared with them, or if a friend sent it to their watch.
 */
@Injectable()
export class DownloadService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly signedUrls: SignedUrlService,
    private readonly renditions: RenditionService,
    private readonly limiter: RequestLimiter,
    private readonly readableContents: ReadableContentService,
    private readonly contents: ReadableContentRepository,
    private readonly shares: ShareService,
    private readonly grantedMedia: GrantedMediaService,
    private readonly childReads: McdiskChildReads,
  ) {}

  /**
   * Creates a signed URL of a file.
   * @param origin origin by which the caller reaches the service
   * @throws ServiceError CONTENT_NOT_FOUND for a content that is not visible or a thumbnail that does not exist
   * @throws ServiceError PERMISSION_MISSING for callers without the right to read, unless the content is shared with
   * them
   */
  async createUrl(caller: Principal, request: GetFileDownLoadUrlDto, origin: string): Promise<FileDownLoadUrlDto> {
    assertSupportedTypes(request);
    const { cloudID, contentID, variant = DOWNLOAD_VARIANT.ORIGINAL } = request;
    const actor = await this.access.authorize(cloudID, caller);
    const readAccess = await this.authorizeAfterWait(actor, caller, contentID);
    if (!readAccess && !hasRight(actor, CLOUD_RIGHT.READ)) throw new ServiceError('PERMISSION_MISSING');
    if (!readAccess || !(await this.findFile(readAccess, variant))) throw new ServiceError('CONTENT_NOT_FOUND');
    const now = Date.now();
    const downloadURL = this.signedUrls.createUrl({ cloudID, caller, origin }, contentID, variant, now);
    return { downloadURL, expireTime: now + SIGNED_URL_TTL_MS };
  }

  /**
   * Returns the file that a signed URL refers to.
   * @param ip address of the reader
   * @throws ServiceError LINK_NOT_FOUND unless URL, holder, access and content are all still valid
   * @throws ServiceError RATE_LIMITED when the principal or the address sends too many requests
   */
  async resolve(token: string, ip: string): Promise<OpenedFile> {
    const claims = await this.signedUrls.verify(token);
    this.limiter.consumeFileLink(claims?.principal, ip);
    if (!claims) throw new ServiceError('LINK_NOT_FOUND');
    const readAccess = await this.authorizeHolder(claims);
    const file = readAccess && (await this.findFile(readAccess, claims.variant));
    if (!file) throw new ServiceError('LINK_NOT_FOUND');
    const { cid } = readAccess.content;
    if (cid !== null) this.childReads.recordCaller(parsePrincipalKey(claims.principal), cid, 'MEDIA');
    // A response may continue after its URL has expired, but never after the access has ended.
    const isStillAllowed = async () =>
      (await this.authorizeHolder(claims))?.isSharedAccess === readAccess.isSharedAccess;
    return { file, reader: { holder: claims.principal, isStillAllowed } };
  }

  /**
   * Returns the content if the reader may read it now, regardless of the reader's access when the URL was created.
   * @param key.cloudId cloud of the reader's family
   */
  private async authorize(reader: Principal, key: ContentKey): Promise<ReadAccess | undefined> {
    const found = await this.readableContents.find(key);
    if (!found) {
      const readerActor = await this.access.find(key.cloudId, reader);
      return toSharedAccess(readerActor && (await this.grantedMedia.find(readerActor, key.contentId)));
    }
    const { content, family } = found;
    const actor = this.access.resolve(family, reader);
    if (!actor) return undefined;
    if (canRead(actor, content)) return { content, isSharedAccess: false };
    return (await this.shares.isShared(actor, content.contentId)) ? { content, isSharedAccess: true } : undefined;
  }

  /** Authorizes like {@link authorize}, and also waits for a media grant that may not have been received yet. */
  private async authorizeAfterWait(
    actor: CloudActor,
    reader: Principal,
    contentId: string,
  ): Promise<ReadAccess | undefined> {
    const access = await this.authorize(reader, { cloudId: actor.cloudId, contentId });
    return access ?? toSharedAccess(await this.grantedMedia.findAfterWait(actor, contentId));
  }

  private async authorizeHolder(claims: SignedUrlClaims): Promise<ReadAccess | undefined> {
    const reader = this.access.principalOf(claims);
    if (!reader) return undefined;
    return claims.variant === URL_VARIANT.RECYCLED_THUMBNAIL
      ? this.authorizeRecycled(reader, claims)
      : this.authorize(reader, claims);
  }

  /** Returns the content if it is in the recycle bin, and the reader may restore and read it now. */
  private async authorizeRecycled(reader: Principal, key: ContentKey): Promise<ReadAccess | undefined> {
    const actor = await this.access.find(key.cloudId, reader);
    if (!actor || !hasRight(actor, CLOUD_RIGHT.DELETE)) return undefined;
    const content = await this.contents.findRecycled(key);
    return content && canRead(actor, content) ? { content, isSharedAccess: false } : undefined;
  }

  private async findFile(
    { content, isSharedAccess }: ReadAccess,
    variant: UrlVariant,
  ): Promise<ReadableFile | undefined> {
    const { blobKey } = content;
    if (variant !== URL_VARIANT.ORIGINAL) {
      const thumbnail = await this.renditions.find(blobKey, RENDITION_KIND.THUMBNAIL);
      return thumbnail && toReadableFile(content, thumbnail);
    }
    if (!isSharedAccess) return toReadableFile(content, content);
    const shared = await this.renditions.findOrGenerate(blobKey, RENDITION_KIND.SHARED);
    return shared && toReadableFile(content, shared);
  }
}

function canRead(actor: CloudActor, { cid }: ReadableContent): boolean {
  return hasRight(actor, CLOUD_RIGHT.READ) && canSee(actor, cid);
}

function toSharedAccess(content: ReadableContent | undefined): ReadAccess | undefined {
  return content && { content, isSharedAccess: true };
}
