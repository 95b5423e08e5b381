import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { MessageCenterService } from '../message-center.service.js';

type ApplicationEvent = 'userctx.family-application.changed';

/** The owner is asked, and whoever asked is answered. */
@Injectable()
export class PublishJoinRequestHandler implements EventHandler<DomainEvents, ApplicationEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-family-application';
  readonly event = 'userctx.family-application.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id: source, payload }: EventOf<DomainEvents, ApplicationEvent>): Promise<void> {
    const { familyId, cid, did, applicationId, applicantUserId, state, time } = payload;
    // Whoever has taken it back knows.
    if (state === 'CANCELLED') return;
    if (state === 'PENDING') {
      const { ownerUserId, dissolved } = await this.families.get(familyId);
      if (dissolved) return;
      const about = { familyId, cid, did, audience: 'GUARDIANS', userIds: [ownerUserId] } as const;
      const params = { applicationId, applicantUserId };
      await this.center.publish({ ...about, source, type: 'APPLICATION_MADE', params, time });
      return;
    }
    // No member of the family, or not when this is told: the answer is about no family, and says nothing of it.
    const about = { familyId: null, cid: null, did: null, audience: 'MEMBERS', userIds: [applicantUserId] } as const;
    await this.center.publish({
      ...about,
      source,
      type: 'APPLICATION_ANSWERED',
      params: { applicationId, state },
      time,
    });
  }
}
