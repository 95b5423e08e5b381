import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { AlbumContentRepository } from './album-content.repository.js';

type ContentPurgedEvent = 'mcdisk.content.purged';

/**
 * Removes purged contents from albums. Albums list no contents of the recycle bin, so the visible lists do not change.
 */
@Injectable()
export class RemovePurgedFromAlbumsHandler implements EventHandler<DomainEvents, ContentPurgedEvent>, OnModuleInit {
  readonly name = 'mcdisk.albums.forget-purged';
  readonly event = 'mcdisk.content.purged' as const;

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly contents: AlbumContentRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { cloudID, contentIDs } }: EventOf<DomainEvents, ContentPurgedEvent>): Promise<void> {
    await this.contents.removeContents(cloudID, contentIDs);
  }
}
