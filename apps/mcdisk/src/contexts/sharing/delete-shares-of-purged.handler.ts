import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { MediaGrantRepository } from './media-grant.repository.js';
import { ShareRepository } from './share.repository.js';

type ContentPurgedEvent = 'mcdisk.content.purged';

/** Deletes shares and grants of purged contents, which have not been readable since their deletion. */
@Injectable()
export class DeleteSharesOfPurgedHandler implements EventHandler<DomainEvents, ContentPurgedEvent>, OnModuleInit {
  readonly name = 'mcdisk.sharing.forget-purged';
  readonly event = 'mcdisk.content.purged' as const;

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly shares: ShareRepository,
    private readonly grants: MediaGrantRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { cloudID, contentIDs } }: EventOf<DomainEvents, ContentPurgedEvent>): Promise<void> {
    await this.shares.removeContents(cloudID, contentIDs);
    await this.grants.deleteByContents(cloudID, contentIDs);
  }
}
