import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { MediaGrantRepository } from './media-grant.repository.js';

type MediaGrantEndedEvent = 'gateway.media.grant-ended';

/** Deletes the grants of a chat message that was recalled. */
@Injectable()
export class DeleteMediaGrantsHandler implements EventHandler<DomainEvents, MediaGrantEndedEvent>, OnModuleInit {
  readonly name = 'mcdisk.sharing.end-media-grant';
  readonly event = 'gateway.media.grant-ended' as const;

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly grants: MediaGrantRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { messageId, familyId } }: EventOf<DomainEvents, MediaGrantEndedEvent>): Promise<void> {
    await this.grants.deleteByMessage(messageId, familyId);
  }
}
