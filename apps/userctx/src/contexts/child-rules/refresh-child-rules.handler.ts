import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { ChildRulesRepository } from './child-rules.repository.js';
import { ChildRulesService } from './child-rules.service.js';

/**
 * The events that can change a child's rules, and the event that erases the child. One handler processes changes and
 * erasure in order, so that no rules remain after the erasure.
 */
const TRIGGERS = [
  'userctx.family.changed',
  'userctx.contact.changed',
  'userctx.watch-settings.changed',
  'userctx.child.created',
  'userctx.child.updated',
  'userctx.child.restored',
  'userctx.sos.raised',
  'userctx.sos.resolved',
  'userctx.child.erased',
] as const;
type Trigger = (typeof TRIGGERS)[number];

@Injectable()
export class RefreshChildRulesHandler implements EventHandler<DomainEvents, Trigger>, OnModuleInit {
  readonly name = 'userctx.child-rules.follow-causes';
  readonly event = TRIGGERS;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly rules: ChildRulesService,
    private readonly publishedRules: ChildRulesRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register<Trigger>(this);
  }

  async handle({ name, payload }: EventOf<DomainEvents, Trigger>): Promise<void> {
    if (name === 'userctx.family.changed') {
      // The child ids are sorted, because each child is locked until commit and a consistent order avoids deadlocks.
      for (const cid of payload.children.map((child) => child.cid).sort())
        await this.rules.publishIfChanged(payload.familyId, cid);
      return;
    }
    if (name === 'userctx.child.erased') return this.publishedRules.erase(payload.cid);
    if (name === 'userctx.watch-settings.changed' && payload.resource !== SETTINGS_RESOURCE.SCHOOL_DISABLE) return;
    await this.rules.publishIfChanged(payload.familyId, payload.cid);
  }
}
