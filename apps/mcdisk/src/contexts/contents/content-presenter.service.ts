import { Injectable } from '@nestjs/common';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/rendition';
import type { ContentDto } from '@family-watch/domain/family-cloud/dto/query-content-list.dto';
import type { ContentEntity } from '@family-watch/domain/family-cloud/entities/content.entity';
import type { ResolvedFolder } from '../folders/folder-lookup.service.js';
import { FolderRepository } from '../folders/folder.repository.js';
import { SignedUrlService } from '../signed-urls/signed-url.service.js';
import type { SignedUrlRecipient } from '../signed-urls/signed-url.service.js';
import { RenditionService } from '../media/rendition.service.js';
import { formatPath } from './folder-path.js';

/** What of a content its callers are told. */
export type PresentedContent = Pick<
  ContentEntity,
  | 'contentId'
  | 'parentFolderId'
  | 'blobKey'
  | 'name'
  | 'size'
  | 'digest'
  | 'type'
  | 'uploader'
  | 'state'
  | 'createdAt'
  | 'updatedAt'
  | 'capturedAt'
>;

/** Contents as a caller gets them. Whether the caller may see them is decided before. */
@Injectable()
export class ContentPresenterService {
  constructor(
    private readonly catalogs: FolderRepository,
    private readonly renditions: RenditionService,
    private readonly links: SignedUrlService,
  ) {}

  /**
   * In the order given.
   * @param contents all of the cloud of `audience`
   * @param place where all of them lie, if that is known
   */
  async present(
    contents: readonly PresentedContent[],
    audience: SignedUrlRecipient,
    place?: ResolvedFolder,
  ): Promise<ContentDto[]> {
    const paths = await this.pathsOf(contents, audience.cloudID, place);
    const pictured = await this.renditions.findMany(keysOf(contents), RENDITION_KIND.THUMBNAIL);
    return contents.map((content) => ({
      contentID: content.contentId,
      contentName: content.name,
      contentSize: content.size,
      contentType: content.type,
      digest: content.digest,
      parentCatalogID: content.parentFolderId ?? '',
      path: paths.get(content.parentFolderId) ?? formatPath([]),
      uploader: content.uploader,
      createTime: content.createdAt,
      lastUpdateTime: content.updatedAt,
      shottime: content.capturedAt,
      thumbnailURL: pictured.has(content.blobKey ?? '') ? this.links.urlFor(audience, content.contentId) : '',
      state: content.state,
    }));
  }

  private async pathsOf(
    contents: readonly PresentedContent[],
    cloudId: string,
    place?: ResolvedFolder,
  ): Promise<Map<string | null, string>> {
    if (place) return new Map([[place.folderId, formatPath(place.pathIds)]]);
    const ids = new Set(contents.flatMap(({ parentFolderId }) => parentFolderId ?? []));
    const catalogs = ids.size === 0 ? [] : await this.catalogs.findMany(cloudId, [...ids]);
    return new Map(catalogs.map(({ folderId, pathIds }) => [folderId, formatPath(pathIds)]));
  }
}

function keysOf(contents: readonly PresentedContent[]): string[] {
  return [...new Set(contents.flatMap(({ blobKey }) => blobKey ?? []))];
}
