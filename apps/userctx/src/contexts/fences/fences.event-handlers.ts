import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/events/on-event.decorator';
import { FenceMonitorRepository } from './fence-monitor.repository.js';
import { FenceScheduleService } from './fence-schedule.service.js';
import { FenceRepository } from './fence.repository.js';

type TriggerEvent = 'userctx.child.updated' | 'userctx.child.deleted' | 'userctx.watch.bound' | 'userctx.watch.unbound';

/** Events after which the child's location is unknown. */
const RESETTING_EVENTS: readonly TriggerEvent[] = ['userctx.child.deleted', 'userctx.watch.unbound'];

/** Updates the fences of a child when the child changes. */
@Injectable()
export class FencesEventHandlers {
  constructor(
    private readonly fences: FenceRepository,
    private readonly monitors: FenceMonitorRepository,
    private readonly schedule: FenceScheduleService,
  ) {}

  /** Erases the fences of an erased child and their events. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.fences.erase-child' })
  async eraseChildFences({ payload: { familyId, cid } }: EventOf<DomainEvents, 'userctx.child.erased'>): Promise<void> {
    // The lock waits for concurrent evaluations of the child's fences. Evaluations after the erasure find no fences.
    await this.monitors.lockChild(cid);
    for (const repository of [this.fences, this.monitors]) await repository.erase({ familyId, cid });
  }

  /**
   * Recomputes due times when the time zone or the watch of a child changes. Without a watch the location is unknown
   * and the child is not expected anywhere.
   */
  @OnEvent(['userctx.child.updated', 'userctx.child.deleted', 'userctx.watch.bound', 'userctx.watch.unbound'], {
    handler: 'userctx.fences.follow-child',
  })
  async refreshFenceSchedule({ name, payload: { familyId, cid } }: EventOf<DomainEvents, TriggerEvent>): Promise<void> {
    await this.schedule.onWatchOrTimeZoneChanged({ familyId, cid }, { reset: RESETTING_EVENTS.includes(name) });
  }
}
