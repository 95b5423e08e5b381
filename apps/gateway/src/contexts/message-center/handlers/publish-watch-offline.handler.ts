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

/** Message types of unintended shutdowns; deliberate shutdowns publish nothing. */
const UNINTENDED_SHUTDOWN_TYPES: Partial<Record<WatchShutdownCause, CenterMessageType>> = {
  LOST_CONNECTION: 'WATCH_LOST_CONNECTION',
  BATTERY: 'WATCH_BATTERY_EMPTY',
};

/** Alerts members when a watch has lost its connection or has shut down because its battery is empty. */
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
    const type = UNINTENDED_SHUTDOWN_TYPES[cause];
    const child = type && (await this.families.findByWatch(did));
    if (!type || !child) return;
    const subject = { familyId: child.family.familyId, cid: child.cid, did, audience: 'ALERTS' } as const;
    // A report that the watch repeats because the response was lost has the same source, so the message is published
    // once.
    await this.center.publish({ ...subject, source: `watch:${did}:${time}`, type, params: {}, time });
  }
}
