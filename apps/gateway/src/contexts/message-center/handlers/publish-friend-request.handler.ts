import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';

type ApplicationEvent = 'userctx.friend-application.changed';

/** Notifies the guardians of a family when they have to decide on a friend request, and both families of the result. */
@Injectable()
export class PublishFriendRequestHandler implements EventHandler<DomainEvents, ApplicationEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-friend-application';
  readonly event = 'userctx.friend-application.changed';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, payload }: EventOf<DomainEvents, ApplicationEvent>): Promise<void> {
    const { applicationId, from, to, state, time } = payload;
    // The requesting child's family decides first; the other family is notified once the first family has agreed.
    const sides = state === 'APPLIED' ? [from] : state === 'CONFIRMED' ? [to] : [from, to];
    for (const { familyId, cid, did } of sides) {
      const subject = { familyId, cid, did, audience: 'GUARDIANS' } as const;
      const params = { applicationId, state };
      const source = `${id}:${cid}`;
      await this.center.publish({ ...subject, source, type: 'FRIEND_APPLICATION_CHANGED', params, time });
    }
  }
}
