import { Injectable } from '@nestjs/common';
import { nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/fence-state';
import {
  evaluateMissedArrivals,
  evaluateDwell,
  nextExpectedArrival,
} from '@family-watch/domain/fences/evaluation/evaluate-fences';
import type { FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { CompiledFencesService } from './compiled-fences.service.js';
import { EVALUATION_DELAY_MS } from './fence-schedule.service.js';
import { FenceEventPublisherService } from './fence-event-publisher.service.js';
import { FenceMonitorRepository } from './fence-monitor.repository.js';
import type { MonitoredChild } from './fence-monitor.repository.js';
import { toFenceStates, toStoredFenceStates } from './stored-fence-states.js';

const INTERVAL_MS = 10_000;
const BATCH_SIZE = 100;

interface EvaluatedChild {
  child: MonitoredChild;
  events: FenceEvent[];
}

/**
 * Reports fence events that no new point triggers: DWELLED when a stay reaches the dwell time, NOT_ARRIVED when a
 * waiting period ends.
 */
@Injectable()
export class FenceTimerJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly monitors: FenceMonitorRepository,
    private readonly compiled: CompiledFencesService,
    private readonly publisher: FenceEventPublisherService,
  ) {
    super(INTERVAL_MS);
  }

  async run(now = Date.now()): Promise<void> {
    while ((await this.evaluateBatch(now)) === BATCH_SIZE);
  }

  /** @returns the number of evaluated children */
  private evaluateBatch(now: number): Promise<number> {
    return this.unitOfWork.run(async () => {
      const until = now - EVALUATION_DELAY_MS;
      const due = await this.monitors.find(await this.monitors.lockDue(until, BATCH_SIZE));
      const compiled = await this.compiled.findByChildren(due);
      const evaluated = due.flatMap((child) => this.tryEvaluate(child, compiled.get(child.cid) ?? [], until));
      await this.monitors.save(evaluated.map(({ child }) => child));
      await this.publisher.publish(
        evaluated.map(({ child: { familyId, cid, did }, events }) => ({
          familyId,
          cid,
          did: did ?? 0,
          events,
          detectedAt: now,
          fences: compiled.get(cid) ?? [],
        })),
      );
      return evaluated.length;
    });
  }

  /**
   * Evaluates one child. Returns an empty list when the evaluation fails: the child stays due and does not block the
   * other children of the batch.
   */
  private tryEvaluate(child: MonitoredChild, fences: readonly CompiledFence[], until: number): EvaluatedChild[] {
    try {
      return [evaluate(child, fences, until)];
    } catch (error) {
      this.logger.error({ msg: 'Fence evaluation failed', cid: child.cid, err: error });
      return [];
    }
  }
}

function evaluate(child: MonitoredChild, fences: readonly CompiledFence[], until: number): EvaluatedChild {
  // Without a watch the child's location is unknown, so the child is not expected anywhere.
  if (child.did === null) return { child: { ...child, nextDwellAt: null, nextArrivalDueAt: null }, events: [] };
  const { timeZone, lastTime, nextArrivalDueAt } = child;
  const stay = evaluateDwell(fences, toFenceStates(fences, child.states), until);
  const isDue = nextArrivalDueAt !== null && nextArrivalDueAt <= until;
  const range = { after: (nextArrivalDueAt ?? until) - 1, until };
  const missed = isDue ? evaluateMissedArrivals(fences, stay.states, range, { lastTime, timeZone }) : [];
  return {
    child: {
      ...child,
      states: toStoredFenceStates(fences, stay.states),
      nextDwellAt: nextDwellTime(fences, stay.states),
      nextArrivalDueAt: isDue ? nextExpectedArrival(fences, timeZone, until) : nextArrivalDueAt,
    },
    events: [...stay.events, ...missed],
  };
}
