import { Injectable } from '@nestjs/common';
import { RENDITION_KIND } from '@family-watch/domain/family-cloud/contracts/blob';
import type { CloudPhotoDto } from '@family-watch/domain/family-cloud/dto/cloud-photo.dto';
import { SignedUrlService } from '../../downloads/signed-urls/signed-url.service.js';
import type { SignedUrlRecipient } from '../../downloads/signed-urls/signed-url.service.js';
import { RenditionService } from '../../renditions/rendition.service.js';
import { AlbumRepository } from './album.repository.js';
import type { ListedAlbum } from './album.repository.js';

/** Converts albums to DTOs with a signed URL for the thumbnail of each cover. */
@Injectable()
export class AlbumCoversService {
  constructor(
    private readonly contents: AlbumRepository,
    private readonly renditions: RenditionService,
    private readonly signedUrls: SignedUrlService,
  ) {}

  async toDtos(recipient: SignedUrlRecipient, albums: readonly ListedAlbum[]): Promise<CloudPhotoDto[]> {
    const covers = albums.flatMap(({ coverId }) => coverId ?? []);
    const withThumbnail = await this.findWithThumbnail(recipient.cloudID, covers);
    return albums.map(({ albumId, name, createdAt, updatedAt, contentCount, coverId }) => ({
      photoID: albumId,
      photoName: name,
      photoCoverURL:
        coverId !== null && withThumbnail.has(coverId) ? this.signedUrls.createUrl(recipient, coverId) : '',
      contentCount,
      createTime: createdAt,
      lastUpdateTime: updatedAt,
    }));
  }

  /** Returns the contents that are active and whose thumbnail is ready. */
  private async findWithThumbnail(cloudID: string, contentIds: readonly string[]): Promise<Set<string>> {
    const contents = await this.contents.findActiveInOrder(cloudID, contentIds);
    const keys = contents.flatMap(({ blobKey }) => blobKey ?? []);
    const ready = await this.renditions.findMany(keys, RENDITION_KIND.THUMBNAIL);
    return new Set(contents.filter(({ blobKey }) => ready.has(blobKey ?? '')).map(({ contentId }) => contentId));
  }
}
