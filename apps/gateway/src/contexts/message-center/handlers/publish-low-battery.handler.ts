import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { decideBatteryAlert } from '../battery-level.js';
import { MessageCenterService } from '../message-center.service.js';
import { PublishedStateRepository } from '../published-state.repository.js';

/** Alerts members when the battery of a watch runs low, once per alert level while the battery drains. */
@Injectable()
export class PublishLowBatteryHandler
  implements EventHandler<DomainEvents, 'gateway.watch.status-reported'>, OnModuleInit
{
  readonly name = 'gateway.message-center.tell-low-battery';
  readonly event = 'gateway.watch.status-reported';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly published: PublishedStateRepository,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, payload }: EventOf<DomainEvents, 'gateway.watch.status-reported'>): Promise<void> {
    const { did, battery, charging, time } = payload;
    if (battery === null) return;
    const previousLevel = await this.published.findAlertedLevel(did);
    const { alertedLevel, shouldAlert } = decideBatteryAlert(previousLevel, battery, charging === true);
    if (alertedLevel !== previousLevel) await this.published.saveAlertedLevel(did, alertedLevel);
    const child = shouldAlert ? await this.families.findByWatch(did) : undefined;
    if (!child) return;
    const subject = { familyId: child.family.familyId, cid: child.cid, did, audience: 'ALERTS' } as const;
    await this.center.publish({ ...subject, source: id, type: 'BATTERY_LOW', params: { battery }, time });
  }
}
