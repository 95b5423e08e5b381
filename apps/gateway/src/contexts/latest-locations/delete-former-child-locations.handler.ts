import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { LatestLocationRepository } from './latest-location.repository.js';

/** Deletes the location of a child that has left the family. */
@Injectable()
export class DeleteFormerChildLocationsHandler
  implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit
{
  readonly name = 'gateway.positions.forget-children';
  readonly event = 'userctx.family.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly locations: LatestLocationRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const cids = payload.dissolved ? [] : payload.children.map(({ cid }) => cid);
    await this.locations.deleteAllBut(payload.familyId, cids);
  }
}
