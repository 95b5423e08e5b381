import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';

/**
 * Notifies the former members of a dissolved family. The message has no family as its subject, because a dissolved
 * family has no members who could receive it.
 */
@Injectable()
export class PublishFamilyDissolvedHandler
  implements EventHandler<DomainEvents, 'userctx.family.dissolved'>, OnModuleInit
{
  readonly name = 'gateway.message-center.tell-family-dissolved';
  readonly event = 'userctx.family.dissolved';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ id, payload }: EventOf<DomainEvents, 'userctx.family.dissolved'>): Promise<void> {
    const { familyId, by, memberUserIds: userIds, time } = payload;
    const subject = { familyId: null, cid: null, did: null, audience: 'MEMBERS' } as const;
    await this.center.publish({
      ...subject,
      source: id,
      type: 'FAMILY_DISSOLVED',
      params: { familyId, by },
      time,
      userIds,
    });
  }
}
