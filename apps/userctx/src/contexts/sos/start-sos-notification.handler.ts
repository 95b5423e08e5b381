import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { SosRepository } from './sos.repository.js';

/** Once it is on the bus, the guardians are being told. A guardian who was faster has ended that. */
@Injectable()
export class StartSosNotificationHandler implements EventHandler<DomainEvents, 'userctx.sos.raised'>, OnModuleInit {
  readonly name = 'userctx.sos.begin-notifying';
  readonly event = 'userctx.sos.raised' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly calls: SosRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, 'userctx.sos.raised'>): Promise<void> {
    await this.calls.transition(payload, 'NOTIFY', { by: null, time });
  }
}
