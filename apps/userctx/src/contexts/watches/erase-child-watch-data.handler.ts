import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { DailyStepsRepository } from './status/daily-steps.repository.js';
import { WatchBindingRepository } from './binding/watch-binding.repository.js';

/** Deletes the step counts and bindings of an erased child. */
@Injectable()
export class EraseChildWatchDataHandler implements EventHandler<DomainEvents, 'userctx.child.erased'>, OnModuleInit {
  readonly name = 'userctx.watches.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly steps: DailyStepsRepository,
    private readonly bindings: WatchBindingRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register(this);
  }

  async handle({ payload: { cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.steps.erase(cid);
    await this.bindings.erase(cid);
  }
}
