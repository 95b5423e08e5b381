import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { LocationSharesService } from './location-shares.service.js';

/**
 * Ends location shares permanently when the family changes so that their creator may no longer share the location: the
 * creator was removed or lost a permission, or the child was deleted.
 */
@Injectable()
export class EndUnauthorizedSharesHandler
  implements EventHandler<DomainEvents, 'userctx.family.changed'>, OnModuleInit
{
  readonly name = 'userctx.locations.end-unfounded-shares';
  readonly event = 'userctx.family.changed' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly shares: LocationSharesService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId } }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    await this.shares.endUnauthorized(familyId);
  }
}
