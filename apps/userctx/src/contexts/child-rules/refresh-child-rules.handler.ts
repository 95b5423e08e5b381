import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { UserctxEventConsumer } from '../../infrastructure/userctx.event-consumer.js';
import { ChildRulesRepository } from './child-rules.repository.js';
import { ChildRulesService } from './child-rules.service.js';

/** Everything that the rules follow from, and their end: one handler, so that nothing is kept after it was erased. */
const CAUSES = [
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
type Cause = (typeof CAUSES)[number];

@Injectable()
export class RefreshChildRulesHandler implements EventHandler<DomainEvents, Cause>, OnModuleInit {
  readonly name = 'userctx.child-rules.follow-causes';
  readonly event = CAUSES;

  constructor(
    private readonly consumer: UserctxEventConsumer,
    private readonly rules: ChildRulesService,
    private readonly told: ChildRulesRepository,
  ) {}

  onModuleInit(): void {
    this.consumer.register<Cause>(this);
  }

  async handle({ name, payload }: EventOf<DomainEvents, Cause>): Promise<void> {
    if (name === 'userctx.family.changed') {
      // In one order, because each is locked until the end.
      for (const cid of payload.children.map((child) => child.cid).sort())
        await this.rules.publishIfChanged(payload.familyId, cid);
      return;
    }
    if (name === 'userctx.child.erased') return this.told.erase(payload.cid);
    if (name === 'userctx.watch-settings.changed' && payload.resource !== SETTINGS_RESOURCE.SCHOOL_DISABLE) return;
    await this.rules.publishIfChanged(payload.familyId, payload.cid);
  }
}
