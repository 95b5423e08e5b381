import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../../infrastructure/gateway.event-consumer.js';
import { MessageCenterService } from '../message-center.service.js';
import { PublishedStateRepository } from '../published-state.repository.js';

type BindingEvent = 'userctx.watch.bound' | 'userctx.watch.unbound';

/** Notifies guardians when a watch is bound to a child or unbound. */
@Injectable()
export class PublishWatchBindingHandler implements EventHandler<DomainEvents, BindingEvent>, OnModuleInit {
  readonly name = 'gateway.message-center.tell-binding';
  readonly event = ['userctx.watch.bound', 'userctx.watch.unbound'] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly center: MessageCenterService,
    private readonly published: PublishedStateRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register<BindingEvent>(this);
  }

  async handle({ id, name, payload }: EventOf<DomainEvents, BindingEvent>): Promise<void> {
    const { familyId, cid, did, by, time } = payload;
    const type = name === 'userctx.watch.bound' ? 'WATCH_BOUND' : 'WATCH_UNBOUND';
    // Earlier battery alerts were sent to another family or about another child, so the alert levels start again.
    await this.published.saveAlertedLevel(did, null);
    await this.center.publish({ source: id, type, params: { by }, familyId, cid, did, audience: 'GUARDIANS', time });
  }
}
