import { Injectable, Logger } from '@nestjs/common';
import {
  nextExpectedArrival,
  evaluateMissedArrivals,
  evaluateDwell,
} from '@family-watch/domain/fences/evaluation/evaluate-fences';
import type { FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { compileFences, nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/fence-state';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { CompiledFencesService } from './compiled-fences.service.js';
import { FenceEventPublisherService } from './fence-event-publisher.service.js';
import { FenceMonitorRepository, toFenceStates, toStoredFenceStates } from './fence-monitor.repository.js';
import type { MonitoredChild } from './fence-monitor.repository.js';
import { FenceRepository } from './fence.repository.js';
import type { ChildKey } from './fence.repository.js';

/**
 * Milliseconds. Delay with which fences are evaluated after a due time, because a fix from before the due time may
 * still be in transit.
 */
const EVALUATION_DELAY_MS = 30_000;

const TIMER_INTERVAL_MS = 10_000;
const BATCH_SIZE = 100;

interface EvaluatedChild {
  child: MonitoredChild;
  events: FenceEvent[];
}

/**
 * Maintains the due times of children's fences and reports the events that no new point triggers: DWELLED when a stay
 * reaches the dwell time, NOT_ARRIVED when a waiting period ends.
 */
@Injectable()
export class FenceScheduleService {
  private readonly logger = new Logger(FenceScheduleService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly fences: FenceRepository,
    private readonly monitors: FenceMonitorRepository,
    private readonly compiled: CompiledFencesService,
    private readonly publisher: FenceEventPublisherService,
  ) {}

  /**
   * Recomputes the due times after the child's fences change. Must be called in the transaction of the change, with the
   * child locked.
   */
  async onFencesChanged(child: ChildKey): Promise<void> {
    await this.monitors.incrementVersion(child);
    await this.refresh(child, false);
  }

  /**
   * Recomputes the due times after the child's watch or time zone changes.
   * @param reset whether to discard the stored states, because the child's location is now unknown
   */
  async onWatchOrTimeZoneChanged(child: ChildKey, { reset }: { reset: boolean }): Promise<void> {
    await this.monitors.lockChild(child.cid);
    await this.refresh(child, reset);
  }

  /** Evaluates the fences whose due time has passed. */
  @OnJob('userctx.fences.evaluate-due', { intervalMs: TIMER_INTERVAL_MS })
  async evaluateDue(now: number): Promise<void> {
    while ((await this.evaluateBatch(now)) === BATCH_SIZE);
  }

  private async refresh(child: ChildKey, reset: boolean): Promise<void> {
    const [row] = await this.monitors.find([child]);
    if (!row) return;
    const fences = compileFences(await this.fences.findByChild(child));
    const states = toFenceStates(fences, reset ? [] : row.states);
    const hasWatch = row.did !== null;
    await this.monitors.save([
      {
        ...row,
        states: toStoredFenceStates(fences, states),
        nextDwellAt: hasWatch ? nextDwellTime(fences, states) : null,
        nextArrivalDueAt: hasWatch ? nextExpectedArrival(fences, row.timeZone, Date.now() - EVALUATION_DELAY_MS) : null,
      },
    ]);
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
