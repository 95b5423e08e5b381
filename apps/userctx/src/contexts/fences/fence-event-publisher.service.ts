import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/compiled-fence';
import type { FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { LATE_AFTER_MS } from '../locations/intake/point-assessment.js';
import type { ChildKey } from './fence.repository.js';
import { FenceEventRepository } from './fence-event.repository.js';
import type { RecordedEvent } from './fence-event.repository.js';

/** What the fences of one child have to tell. `knownAt`: since when it is known, Unix milliseconds. */
export interface FenceEventBatch extends ChildKey {
  did: number;
  fences: readonly CompiledFence[];
  events: readonly FenceEvent[];
  knownAt: number;
}

/** Records what fences have noticed and tells it, once. */
@Injectable()
export class FenceEventPublisherService {
  constructor(
    private readonly events: FenceEventRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  async publish(told: readonly FenceEventBatch[]): Promise<void> {
    const events = told.flatMap(recordsOf);
    if (events.length === 0) return;
    const added = await this.events.add(events, Date.now());
    const fresh = events.filter(({ fenceEventId }) => added.has(fenceEventId));
    await this.outbox.appendMany(
      fresh.map(({ fenceName, ...payload }) => ({
        name: 'userctx.fence.triggered' as const,
        key: payload.familyId,
        payload,
      })),
    );
  }
}

function recordsOf({ familyId, cid, did, fences, events, knownAt }: FenceEventBatch): RecordedEvent[] {
  return events.flatMap(({ fenceId, type, time }) => {
    const fence = fences.find((one) => one.fenceId === fenceId);
    if (!fence) return [];
    const fenceEventId = idOf(fence, type, time);
    const late = knownAt - time > LATE_AFTER_MS;
    return [{ fenceEventId, familyId, cid, did, fenceId, fenceName: fence.name, type, time, late }];
  });
}

/** The same thing noticed again, by whatever way, is the same event. */
function idOf({ fenceId, activeFrom }: CompiledFence, type: string, time: number): string {
  const digest = createHash('sha256').update(`${fenceId}/${activeFrom}/${type}/${time}`).digest('hex');
  // A UUID of version 8: of one's own making.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`];
  return [...parts, `8${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-');
}
