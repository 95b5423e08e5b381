import { Injectable } from '@nestjs/common';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { FenceMonitorService } from './fence-monitor.service.js';
import { FenceRepository } from './fence.repository.js';

type FenceScheduleEvent =
  | 'userctx.child.updated'
  | 'userctx.child.deleted'
  | 'userctx.watch.bound'
  | 'userctx.watch.unbound';

/** Events after which the child's location is unknown. */
const STATE_RESETTING_EVENTS: readonly FenceScheduleEvent[] = ['userctx.child.deleted', 'userctx.watch.unbound'];

/** Updates the fences of a child when the child changes. */
@Injectable()
export class FencesEventHandlers {
  constructor(
    private readonly fences: FenceRepository,
    private readonly monitor: FenceMonitorService,
  ) {}

  /** Erases the fences, fence states and fence events of an erased child. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.fences.erase-child' })
  async eraseChildFences({ payload: { familyId, cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    // Taking the lock waits for concurrent evaluations of the child's fences. Later evaluations find no fences.
    await this.fences.lockChild(cid);
    await this.fences.erase({ familyId, cid });
  }

  /**
   * Recomputes due times when the time zone or the watch of a child changes. The location of a child without a watch is
   * unknown, so the child is not expected anywhere.
   */
  @OnEvent(['userctx.child.updated', 'userctx.child.deleted', 'userctx.watch.bound', 'userctx.watch.unbound'], {
    handler: 'userctx.fences.refresh-schedule',
  })
  async refreshFenceSchedule({ name, payload: { familyId, cid } }: HandledEvent<FenceScheduleEvent>): Promise<void> {
    await this.monitor.onWatchOrTimeZoneChanged({ familyId, cid }, { reset: STATE_RESETTING_EVENTS.includes(name) });
  }
}
