import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { AlbumRepository } from './album.repository.js';

/** Removes purged contents from albums, and deletes the albums of erased children. */
@Injectable()
export class AlbumsEventHandlers {
  constructor(private readonly albums: AlbumRepository) {}

  /** Deletes the albums that an erased child's watch created. Contents that other members added stay in the cloud. */
  @OnEvent('userctx.child.erased', { handler: 'mcdisk.albums.erase-child' })
  async eraseChildAlbums({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.albums.deleteByChild(familyId, cid);
  }

  /**
   * Removes purged contents from albums. Albums list no contents of the recycle bin, so the visible lists do not
   * change.
   */
  @OnEvent('mcdisk.content.purged', { handler: 'mcdisk.albums.remove-purged' })
  async removePurgedFromAlbums({
    payload: { cloudID, contentIDs },
  }: EventOf<DomainEvents, 'mcdisk.content.purged'>): Promise<void> {
    await this.albums.removePurged(cloudID, contentIDs);
  }
}
