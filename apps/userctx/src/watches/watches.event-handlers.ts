import { Injectable } from '@nestjs/common';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { WatchBindingService } from './binding/watch-binding.service.js';
import { WatchStatusRepository } from './status/watch-status.repository.js';
import { WatchStatusService } from './status/watch-status.service.js';

type ChildRemovalEvent = 'userctx.child.deleted' | 'userctx.child.restored';

type WatchReport =
  | 'gateway.watch.status-reported'
  | 'gateway.watch.started'
  | 'gateway.watch.shut-down'
  | 'gateway.watch.presence-changed';

/** Records reports of watches, and deletes the data of erased children. */
@Injectable()
export class WatchesEventHandlers {
  constructor(
    private readonly bindings: WatchBindingService,
    private readonly statuses: WatchStatusRepository,
    private readonly status: WatchStatusService,
  ) {}

  /**
   * Ends the binding of a deleted child's watch, so that the watch can be bound again, and binds the watch of a restored
   * child. Handles both events in one handler, because their order matters.
   */
  @OnEvent(['userctx.child.deleted', 'userctx.child.restored'], {
    handler: 'userctx.watches.end-binding-of-deleted-child',
  })
  async keepBindingOfChild({ name, payload, time }: HandledEvent<ChildRemovalEvent>): Promise<void> {
    const { did, cid, familyId, by } = payload;
    if (did === null || did === undefined) return;
    if (name === 'userctx.child.deleted') await this.bindings.endBindingOfDeletedChild(did, cid, time);
    else await this.bindings.bindToRestoredChild({ familyId, cid, did }, by);
  }

  /** Deletes the step counts and bindings of an erased child. */
  @OnEvent('userctx.child.erased', { handler: 'userctx.watches.erase-child' })
  async eraseChildWatchData({ payload: { cid }, time }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    await this.statuses.eraseSteps(cid);
    await this.bindings.eraseBindings(cid, time);
  }

  /** Handles all status events of watches in one handler, because their order matters. */
  @OnEvent(
    [
      'gateway.watch.status-reported',
      'gateway.watch.started',
      'gateway.watch.shut-down',
      'gateway.watch.presence-changed',
    ],
    { handler: 'userctx.watches.record-status' },
  )
  recordWatchReport({ name, payload }: HandledEvent<WatchReport>): Promise<void> {
    switch (name) {
      case 'gateway.watch.status-reported':
        return this.status.recordStatus(payload);
      case 'gateway.watch.started':
        return this.status.recordStart(payload);
      case 'gateway.watch.shut-down':
        return this.status.recordShutdown(payload);
      case 'gateway.watch.presence-changed':
        return this.status.recordPresence(payload);
    }
  }
}
