import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/fence-state';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { LATE_AFTER_MS } from '../locations/point-assessment.js';
import { FenceRepository } from './fence.repository.js';
import type { ChildKey, RecordedFenceEvent } from './fence.repository.js';

/** Fence events of one child. */
export interface FenceEventBatch extends ChildKey {
  did: number;
  fences: readonly CompiledFence[];
  events: readonly FenceEvent[];
  /** When the events were detected, Unix milliseconds. */
  detectedAt: number;
}

const RETENTION_INTERVAL_MS = 3_600_000;
/** Milliseconds. Fence events are retained as long as location points: 30 days. */
const RETENTION_MS = 30 * 24 * 3_600_000;

/** Stores fence events and publishes each of them once. */
@Injectable()
export class FenceEventPublisherService {
  constructor(
    private readonly fences: FenceRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  async publish(batches: readonly FenceEventBatch[]): Promise<void> {
    const events = batches.flatMap(toRecords);
    if (events.length === 0) return;
    const added = await this.fences.addEvents(events, Date.now());
    const newEvents = events.filter(({ fenceEventId }) => added.has(fenceEventId));
    await this.outbox.appendMany(
      newEvents.map(({ fenceName, ...payload }) => ({
        name: 'userctx.fence.triggered' as const,
        key: payload.familyId,
        payload,
      })),
    );
  }

  /** Deletes fence events after their retention, because they reveal where a child was. */
  @OnJob('userctx.fences.delete-old-events', { intervalMs: RETENTION_INTERVAL_MS })
  async deleteOld(now: number): Promise<void> {
    await this.fences.deleteEventsBefore(now - RETENTION_MS);
  }
}

function toRecords({ familyId, cid, did, fences, events, detectedAt }: FenceEventBatch): RecordedFenceEvent[] {
  return events.flatMap(({ fenceId, type, time }) => {
    const fence = fences.find((candidate) => candidate.fenceId === fenceId);
    if (!fence) return [];
    const fenceEventId = deriveEventId(fence, type, time);
    const late = detectedAt - time > LATE_AFTER_MS;
    return [{ fenceEventId, familyId, cid, did, fenceId, fenceName: fence.name, type, time, late }];
  });
}

/** Derives the event's id, so that an event that is detected repeatedly gets the same id. */
function deriveEventId({ fenceId, activeFrom }: CompiledFence, type: string, time: number): string {
  const digest = createHash('sha256').update(`${fenceId}/${activeFrom}/${type}/${time}`).digest('hex');
  // A UUID of version 8, which allows custom contents.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`];
  return [...parts, `8${digest.slice(17, 20)}`, digest.slice(20, 32)].join('-');
}
