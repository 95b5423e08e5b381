import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { StepDayRepository } from './status/step-day.repository.js';
import { WatchBindingRepository } from './binding/watch-binding.repository.js';

/** Of an erased child neither the steps are kept nor which watch it wore. */
@Injectable()
export class OnChildErased implements EventHandler<DomainEvents, 'userctx.child.erased'> {
  readonly name = 'userctx.watches.erase-child';
  readonly event = 'userctx.child.erased' as const;

  constructor(
    private readonly steps: StepDayRepository,
    private readonly bindings: WatchBindingRepository,
  ) {}

  async handle({ payload: { cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.steps.erase(cid);
    await this.bindings.erase(cid);
  }
}
