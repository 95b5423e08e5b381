import { Injectable } from '@nestjs/common';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watches/contracts/settings-state';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { ChildRulesRepository } from './child-rules.repository.js';
import { ChildRulesService } from './child-rules.service.js';

/**
 * The events that can change a child's rules, and the event that erases the child. One handler processes changes and
 * erasure in order, so that no rules remain after the erasure.
 */
export const CHILD_RULES_EVENTS = [
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

type ChildRulesEvent = (typeof CHILD_RULES_EVENTS)[number];

/** Publishes the rules of a child when the rules may have changed, and erases the rules of erased children. */
@Injectable()
export class ChildRulesEventHandlers {
  constructor(
    private readonly rules: ChildRulesService,
    private readonly publishedRules: ChildRulesRepository,
  ) {}

  @OnEvent(CHILD_RULES_EVENTS, { handler: 'userctx.child-rules.refresh' })
  async refreshChildRules({ name, payload }: HandledEvent<ChildRulesEvent>): Promise<void> {
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
