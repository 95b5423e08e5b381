import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';

type ShareEvent = 'userctx.location-share.changed';

/** Notifies all guardians when a location share of a child is created or ends. */
@Injectable()
export class PublishLocationShareHandler implements EventHandler<DomainEvents, ShareEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-location-share';
  readonly event = 'userctx.location-share.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, payload }: EventOf<DomainEvents, ShareEvent>): Promise<void> {
    const { familyId, cid, shareId, active, by, time } = payload;
    const type = active ? 'LOCATION_SHARED' : 'LOCATION_SHARE_ENDED';
    const subject = { familyId, cid, did: null, audience: 'GUARDIANS' } as const;
    await this.center.publish({ ...subject, source: id, type, params: { shareId, by }, time });
  }
}
