import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { SettingsAcksService } from './settings-acks.service.js';

/** Records that a watch applied or rejected a version of its settings. */
@Injectable()
export class RecordSettingsAckHandler
  implements EventHandler<DomainEvents, 'gateway.message.acknowledged'>, OnModuleInit
{
  readonly name = 'userctx.watch-settings.keep-answers';
  readonly event = 'gateway.message.acknowledged' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly acks: SettingsAcksService,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload, time }: EventOf<DomainEvents, 'gateway.message.acknowledged'>): Promise<void> {
    await this.acks.record(payload, time);
  }
}
