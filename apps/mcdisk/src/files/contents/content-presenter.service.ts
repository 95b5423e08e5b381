import { Injectable } from '@nestjs/common';
import type { ContentDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { PresentedContent } from '../../clouds/content-columns.js';
import { formatPath, type ResolvedFolder } from '../folders/folder-path.js';
import { FolderRepository } from '../folders/folder.repository.js';
import { SignedUrlService, type SignedUrlRecipient } from '../../sharing/signed-urls/signed-url.service.js';

/** Converts contents to DTOs. The caller must have checked that the contents are visible. */
@Injectable()
export class ContentPresenterService {
  constructor(
    private readonly folders: FolderRepository,
    private readonly signedUrls: SignedUrlService,
  ) {}

  /**
   * Converts contents to DTOs in the given order.
   * @param contents contents of the cloud of `recipient`
   * @param folder the folder that contains all of the contents, if the caller knows it
   */
  async toDtos(
    contents: readonly PresentedContent[],
    recipient: SignedUrlRecipient,
    folder?: ResolvedFolder,
  ): Promise<ContentDto[]> {
    const paths = await this.pathsOf(contents, recipient.cloudID, folder);
    const thumbnailUrls = await this.signedUrls.createThumbnailUrls(recipient, contents);
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
      thumbnailURL: thumbnailUrls.get(content.contentId) ?? '',
      state: content.state,
    }));
  }

  private async pathsOf(
    contents: readonly PresentedContent[],
    cloudId: string,
    folder?: ResolvedFolder,
  ): Promise<Map<string | null, string>> {
    if (folder) return new Map([[folder.folderId, formatPath(folder.pathIds)]]);
    const ids = new Set(contents.flatMap(({ parentFolderId }) => parentFolderId ?? []));
    const folders = ids.size === 0 ? [] : await this.folders.findMany(cloudId, [...ids]);
    return new Map(folders.map(({ folderId, pathIds }) => [folderId, formatPath(pathIds)]));
  }
}
