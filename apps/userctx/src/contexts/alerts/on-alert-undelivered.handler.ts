import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { AlertSmsRepository } from './alert-sms.repository.js';

type UndeliveredEvent = 'gateway.alert.undelivered';

/** No app of the person took an urgent alert: the last resort is a message to the person's own number. */
@Injectable()
export class OnAlertUndeliveredHandler implements EventHandler<DomainEvents, UndeliveredEvent>, OnModuleInit {
  readonly name = 'userctx.alerts.send-sms';
  readonly event = 'gateway.alert.undelivered' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly alerts: AlertSmsRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload }: EventOf<DomainEvents, UndeliveredEvent>): Promise<void> {
    await this.alerts.insertUnlessKnown(payload, Date.now());
  }
}
