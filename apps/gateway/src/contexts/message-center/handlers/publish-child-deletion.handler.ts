import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';

type DeletionEvent = 'userctx.child.deleted' | 'userctx.child.restored';

/**
 * Notifies all guardians when a child is deleted or restored. Deletion requires no step-up, but guardians can restore
 * the child.
 */
@Injectable()
export class PublishChildDeletionHandler implements EventHandler<DomainEvents, DeletionEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-child-deletion';
  readonly event = ['userctx.child.deleted', 'userctx.child.restored'] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<DeletionEvent>(this);
  }

  async handle({ id, name, time, payload }: EventOf<DomainEvents, DeletionEvent>): Promise<void> {
    const { familyId, cid, by } = payload;
    const type = name === 'userctx.child.deleted' ? 'CHILD_DELETED' : 'CHILD_RESTORED';
    const subject = { familyId, cid, did: null, audience: 'GUARDIANS' } as const;
    await this.center.publish({ ...subject, source: id, type, params: { by }, time });
  }
}
