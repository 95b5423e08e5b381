import { Injectable } from '@nestjs/common';
import { OnEvent } from '@family-watch/platform/events/on-event.decorator';
import type { HandledEvent } from '@family-watch/platform/events/on-event.decorator';
import { FenceMonitorService } from './fence-monitor.service.js';
import { FenceRepository } from './fence.repository.js';

type TriggerEvent = 'userctx.child.updated' | 'userctx.child.deleted' | 'userctx.watch.bound' | 'userctx.watch.unbound';

/** Events after which the child's location is unknown. */
const RESETTING_EVENTS: readonly TriggerEvent[] = ['userctx.child.deleted', 'userctx.watch.unbound'];

/** Updates the fences of a child when the child changes. */
@Injectable()
export class FencesEventHandlers {
  constructor(
    private readonly fences: FenceRepository,
    private readonly schedule: FenceMonitorService,
  ) {}

  /** Erases the fences of an erased child and their events. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.fences.erase-child' })
  async eraseChildFences({ payload: { familyId, cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    // The lock waits for concurrent evaluations of the child's fences. Evaluations after the erasure find no fences.
    await this.fences.lockChild(cid);
    await this.fences.erase({ familyId, cid });
  }

  /**
   * Recomputes due times when the time zone or the watch of a child changes. Without a watch the location is unknown
   * and the child is not expected anywhere.
   */
  @OnEvent(['userctx.child.updated', 'userctx.child.deleted', 'userctx.watch.bound', 'userctx.watch.unbound'], {
    handler: 'userctx.fences.follow-child',
  })
  async refreshFenceSchedule({ name, payload: { familyId, cid } }: HandledEvent<TriggerEvent>): Promise<void> {
    await this.schedule.onWatchOrTimeZoneChanged({ familyId, cid }, { reset: RESETTING_EVENTS.includes(name) });
  }
}
