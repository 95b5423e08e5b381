import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { FenceEventType } from '@family-watch/domain/fences/contracts/fence';
import type { CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { mayReceive } from '../../../protocol/delivery-access.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { MessageCenterService } from '../message-center.service.js';

const MESSAGE_TYPES: Record<FenceEventType, CenterMessageType> = {
  ENTERED: 'FENCE_ENTERED',
  LEFT: 'FENCE_LEFT',
  DWELLED: 'FENCE_DWELLED',
  NOT_ARRIVED: 'FENCE_NOT_ARRIVED',
  LEFT_EARLY: 'FENCE_LEFT_EARLY',
};

/**
 * A recipient needs the LOCATION permission, because the message reveals where the child is, and the ALERTS permission,
 * because the message is an alert.
 */
const REQUIRED_PERMISSIONS = ['LOCATION', 'ALERTS'] as const;

/** Publishes fence events to the members who may see the child's location and receive its alerts. */
@Injectable()
export class PublishFenceEventHandler implements EventHandler<DomainEvents, 'userctx.fence.triggered'>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-fence';
  readonly event = 'userctx.fence.triggered';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, payload }: EventOf<DomainEvents, 'userctx.fence.triggered'>): Promise<void> {
    const { familyId, cid, did, fenceId, fenceEventId, type, time, late } = payload;
    const subject = { familyId, cid, did, audience: 'LOCATION' } as const;
    const family = await this.families.get(familyId);
    const isRecipient = (userId: string): boolean =>
      REQUIRED_PERMISSIONS.every((audience) => mayReceive(`user:${userId}`, { ...subject, audience }, family));
    const userIds = family.members.map(({ userId }) => userId).filter(isRecipient);
    const params = { fenceId, fenceEventId, late };
    await this.center.publish({ ...subject, source: id, type: MESSAGE_TYPES[type], params, time, userIds });
  }
}
