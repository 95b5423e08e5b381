import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { ChildLocationRepository } from './child-location.repository.js';
import { LocationRequestRepository } from './requests/location-request.repository.js';
import { LocationPointRepository } from './location-point.repository.js';
import { LocationShareRepository } from './shares/location-share.repository.js';
import { PointCorrectionRepository } from './corrections/point-correction.repository.js';

/** Deletes all location data of an erased child, including corrections, requests and shares. */
@Injectable()
export class EraseChildLocationsHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'userctx.locations.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly points: LocationPointRepository,
    private readonly locations: ChildLocationRepository,
    private readonly requests: LocationRequestRepository,
    private readonly shares: LocationShareRepository,
    private readonly corrections: PointCorrectionRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    // The lock waits for a location report that is being processed. Reports that are processed later are dropped,
    // because the watch is no longer bound to the child.
    await this.points.lockChild(cid);
    await this.points.erase(cid);
    await this.locations.erase(cid);
    await this.requests.erase(cid);
    await this.shares.erase(cid);
    await this.corrections.erase(cid);
  }
}
