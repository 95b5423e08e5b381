import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { SosRepository } from './sos.repository.js';

/**
 * Changes an SOS to NOTIFYING once its event is on the event bus, because the apps are then being notified. Has no
 * effect if a guardian has already acknowledged the SOS.
 */
@Injectable()
export class StartSosNotificationHandler implements EventHandler<DomainEvents, 'userctx.sos.raised'>, OnModuleInit {
  readonly name = 'userctx.sos.begin-notifying';
  readonly event = 'userctx.sos.raised' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly repository: SosRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, 'userctx.sos.raised'>): Promise<void> {
    await this.repository.transition(payload, 'NOTIFY', { by: null, time });
  }
}
