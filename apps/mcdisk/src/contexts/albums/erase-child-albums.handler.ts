import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { AlbumRepository } from './album.repository.js';

type ChildErasedEvent = 'userctx.child.erased';

/** Deletes the albums that an erased child's watch created. Contents that other members added stay in the cloud. */
@Injectable()
export class EraseChildAlbumsHandler implements EventHandler<DomainEvents, ChildErasedEvent>, OnModuleInit {
  readonly name = 'mcdisk.albums.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly albums: AlbumRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, ChildErasedEvent>): Promise<void> {
    await this.albums.deleteByChild(familyId, cid);
  }
}
