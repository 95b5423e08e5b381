import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { FamilyLookupService } from '../../families/family-lookup.service.js';
import { MessageCenterService } from '../message-center.service.js';

type ApplicationEvent = 'userctx.family-application.changed';

/** Notifies the owner of a new join request, and the applicant of the decision. */
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
    // The applicant has withdrawn the request and needs no notification.
    if (state === 'CANCELLED') return;
    if (state === 'PENDING') {
      const { ownerUserId, dissolved } = await this.families.get(familyId);
      if (dissolved) return;
      const subject = { familyId, cid, did, audience: 'GUARDIANS', userIds: [ownerUserId] } as const;
      const params = { applicationId, applicantUserId };
      await this.center.publish({ ...subject, source, type: 'APPLICATION_MADE', params, time });
      return;
    }
    // The applicant may not be a member of the family (yet): the message has no family as its subject and reveals
    // nothing about the family.
    const subject = { familyId: null, cid: null, did: null, audience: 'MEMBERS', userIds: [applicantUserId] } as const;
    await this.center.publish({
      ...subject,
      source,
      type: 'APPLICATION_ANSWERED',
      params: { applicationId, state },
      time,
    });
  }
}
