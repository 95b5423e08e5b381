import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { ChildRulesLookupService } from '../projections/child-rules-lookup.service.js';
import { ConnectedFamiliesService } from '../projections/connected-families.service.js';
import { CallAccessService, isCallStillAllowed } from './call-access.service.js';
import { VideoCallRepository } from './video-call.repository.js';
import { CALL_TRANSITION } from './video-call.js';
import { CallTransitionsService } from './call-transitions.service.js';

/** Ends and deletes video calls when their participants change. */
@Injectable()
export class VideoCallsEventHandlers {
  constructor(
    private readonly families: ConnectedFamiliesService,
    private readonly calls: VideoCallRepository,
    private readonly transitions: CallTransitionsService,
    private readonly childRules: ChildRulesLookupService,
    private readonly access: CallAccessService,
  ) {}

  /** Deletes the calls of an erased child. A child is erased seven days after its deletion. */
  @OnEvent('userctx.child.erased', { handler: 'gateway.video-calls.erase-child' })
  async deleteChildCalls({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    await this.calls.deleteChild(familyId, cid);
  }

  /** Ends a call when a party leaves the family or loses the permission, or when the watch is unbound. */
  @OnEvent('userctx.family.changed', { handler: 'gateway.video-calls.end-former-members' })
  async endCallsOfFormerMembers({ payload }: EventOf<DomainEvents, 'userctx.family.changed'>): Promise<void> {
    const calls = await this.calls.lockLiveOfFamily(payload.familyId);
    if (calls.length === 0) return;
    const stored = await this.families.find(payload.familyId);
    const newest = stored && stored.version > payload.version ? stored : payload;
    for (const call of calls) {
      if (!isCallStillAllowed(call, newest)) await this.transitions.apply(call, CALL_TRANSITION.PERMISSION_LOST, null);
    }
  }

  /** Ends a call when the child's contact rules no longer allow it. A call continues when school time starts. */
  @OnEvent('userctx.child-rules.changed', { handler: 'gateway.video-calls.end-forbidden' })
  async endDisallowedCalls({ payload }: EventOf<DomainEvents, 'userctx.child-rules.changed'>): Promise<void> {
    // Stores the rules first, even if another handler also stores them, so that no call can start under the old rules
    // after the check.
    await this.childRules.store(payload);
    const calls = await this.calls.lockLiveOfFamily(payload.familyId);
    for (const call of calls.filter(({ cid }) => cid === payload.cid)) {
      const refusal = await this.access.findRefusal(call);
      if (refusal?.reason === 'CONTACT_NOT_ALLOWED')
        await this.transitions.apply(call, CALL_TRANSITION.PERMISSION_LOST, null);
    }
  }
}
