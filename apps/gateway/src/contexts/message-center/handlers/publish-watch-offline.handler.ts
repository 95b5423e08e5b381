import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { WatchShutdownCause } from '@family-watch/domain/watches/contracts/watch.events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { MessageCenterService } from '../message-center.service.js';

/** What nobody did on purpose. */
const TOLD: Partial<Record<WatchShutdownCause, CenterMessageType>> = {
  LOST_CONNECTION: 'WATCH_LOST_CONNECTION',
  BATTERY: 'WATCH_BATTERY_EMPTY',
};

/** Guardians are told when a watch went silent by itself. */
@Injectable()
export class PublishWatchOfflineHandler implements EventHandler<DomainEvents, 'gateway.watch.shut-down'>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-watch-silent';
  readonly event = 'gateway.watch.shut-down';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, 'gateway.watch.shut-down'>): Promise<void> {
    const { did, time, cause } = payload;
    const type = TOLD[cause];
    const child = type && (await this.families.findByWatch(did));
    if (!type || !child) return;
    const about = { familyId: child.family.familyId, cid: child.cid, did, audience: 'ALERTS' } as const;
    // A watch that says it again, because the answer was lost, is one source.
    await this.center.publish({ ...about, source: `watch:${did}:${time}`, type, params: {}, time });
  }
}
