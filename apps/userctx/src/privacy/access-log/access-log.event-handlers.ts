import { Injectable } from '@nestjs/common';
import type { ChildReadEvents } from '@family-watch/domain/privacy/contracts/child-read';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { OnEvent, OnEventBatch, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { AccessLogService } from './access-log.service.js';

/** Stores in the access logs what the apps recorded, and deletes the logs of erased children. */
@Injectable()
export class AccessLogEventHandlers {
  constructor(private readonly log: AccessLogService) {}

  @OnEventBatch(['userctx.child-data.read', 'gateway.child-data.read', 'mcdisk.child-data.read'], {
    handler: 'userctx.access-log.store-reads',
  })
  async storeReads(events: readonly HandledEvent<keyof ChildReadEvents>[]): Promise<void> {
    const byChild = Map.groupBy(
      events.flatMap(({ payload: { cid, reads } }) => (isUuid(cid) ? reads.map((read) => ({ cid, read })) : [])),
      ({ cid }) => cid,
    );
    if (byChild.size === 0) return;
    await this.log.append(
      new Map([...byChild].map(([cid, found]) => [cid, found.map(({ read }) => read)])),
      Date.now(),
    );
  }

  @OnEvent('userctx.child.erased', { handler: 'userctx.access-log.erase-child' })
  async eraseLog({ payload: { cid } }: HandledEvent<'userctx.child.erased'>): Promise<void> {
    await this.log.erase(cid);
  }
}
