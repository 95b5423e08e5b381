import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { CenterMessageParams, CenterMessageType } from '@family-watch/domain/messages/contracts/message-center';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { mayReceive } from '../../../protocol/delivery-access.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { MessageCenterService } from '../message-center.service.js';

type OwnershipEvent = 'userctx.ownership-claim.changed' | 'userctx.family.transferred';

/** Notifies the owner and the guardians of ownership claims and transfers, because they can object. */
@Injectable()
export class PublishOwnershipChangeHandler implements EventHandler<DomainEvents, OwnershipEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-ownership';
  // One handler processes claims and transfers, so that a claim and its outcome are published in order.
  readonly event = ['userctx.ownership-claim.changed', 'userctx.family.transferred'] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<OwnershipEvent>(this);
  }

  async handle(event: EventOf<DomainEvents, OwnershipEvent>): Promise<void> {
    const { familyId, time } = event.payload;
    const subject = { familyId, cid: null, did: null, audience: 'GUARDIANS' } as const;
    const family = await this.families.get(familyId);
    const userIds = family.members
      .filter(({ userId, role }) => role <= FAMILY_ROLE.GUARDIAN && mayReceive(`user:${userId}`, subject, family))
      .map(({ userId }) => userId);
    await this.center.publish({ ...subject, source: event.id, ...toMessageContent(event), time, userIds });
  }
}

function toMessageContent({ name, payload }: EventOf<DomainEvents, OwnershipEvent>): {
  type: CenterMessageType;
  params: CenterMessageParams;
} {
  if (name === 'userctx.family.transferred') {
    const { fromUserId, toUserId } = payload;
    return { type: 'OWNER_CHANGED', params: { fromUserId, toUserId } };
  }
  const { claimId, claimantUserId, state, by, deadline } = payload;
  if (state === 'OPEN') return { type: 'OWNERSHIP_CLAIMED', params: { claimId, claimantUserId, deadline } };
  return { type: 'OWNERSHIP_CLAIM_ENDED', params: { claimId, claimantUserId, state, by } };
}
