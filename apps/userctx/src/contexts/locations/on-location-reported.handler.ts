import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { LocationIntake } from './location-intake.service.js';

/** Stores the points that watches sent over the gateway. Those of an unbound watch belong to nobody and are dropped. */
@Injectable()
export class OnLocationReported implements EventHandler<DomainEvents, 'gateway.location.reported'> {
  readonly name = 'userctx.locations.store-reported-points';
  readonly event = 'gateway.location.reported' as const;

  constructor(private readonly intake: LocationIntake) {}

  async handle({ payload }: EventOf<DomainEvents, 'gateway.location.reported'>): Promise<void> {
    await this.intake.take(payload);
  }
}
