import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { CallLogRepository } from './call-log.repository.js';

/** Deletes the calls of a child that is erased, seven days after its deletion. */
@Injectable()
export class DeleteChildCallsHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'gateway.video-calls.forget-child';
  readonly event = 'userctx.child.erased';

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly log: CallLogRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.log.deleteChild(familyId, cid);
  }
}
