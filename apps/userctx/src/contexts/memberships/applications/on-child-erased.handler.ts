import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../../infrastructure/userctx.event-consumer.js';
import { ApplicationRepository } from './application.repository.js';

/** Through which child somebody once asked is not kept longer than the child. */
@Injectable()
export class OnChildErasedHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'userctx.memberships.forget-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly applications: ApplicationRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.applications.forgetChild(familyId, cid);
  }
}
