import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { LocationIntakeService } from './location-intake.service.js';

/** Stores the points that watches sent through the gateway. Points of an unbound watch are dropped. */
@Injectable()
export class StoreReportedPointsHandler
  implements EventHandler<DomainEvents, 'gateway.location.reported'>, OnModuleInit
{
  readonly name = 'userctx.locations.store-reported-points';
  readonly event = 'gateway.location.reported' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly intake: LocationIntakeService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'gateway.location.reported'>): Promise<void> {
    await this.intake.process(payload);
  }

  /** Processes reports in batches, because thousands of watches report continuously. */
  async handleBatch(events: readonly EventOf<DomainEvents, 'gateway.location.reported'>[]): Promise<void> {
    await this.intake.processAll(events.map(({ payload }) => payload));
  }
}
