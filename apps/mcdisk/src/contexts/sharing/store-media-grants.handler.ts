import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { McdiskEventConsumer } from '../../infrastructure/mcdisk.event-consumer.js';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import { MediaGrantMonitor } from './media-grant-monitor.js';
import { MediaGrantRepository } from './media-grant.repository.js';

type MediaGrantedEvent = 'gateway.media.granted';

/**
 * Stores the grants of a chat message between children who are friends. Each grant allows the recipient's watch to read
 * one content of the message.
 */
@Injectable()
export class StoreMediaGrantsHandler implements EventHandler<DomainEvents, MediaGrantedEvent>, OnModuleInit {
  readonly name = 'mcdisk.sharing.keep-media-grant';
  readonly event = 'gateway.media.granted' as const;

  constructor(
    private readonly consumer: McdiskEventConsumer,
    private readonly grants: MediaGrantRepository,
    private readonly monitor: MediaGrantMonitor,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, MediaGrantedEvent>): Promise<void> {
    const contentIDs = payload.contentIDs.filter(isUuid);
    await this.grants.insert({ ...payload, contentIDs }, time);
    this.unitOfWork.afterCommit(() => this.monitor.recordGrants(contentIDs));
  }
}
