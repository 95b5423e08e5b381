import { Injectable } from '@nestjs/common';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/compiled-fence';
import {
  evaluateMissedArrivals,
  evaluateDwell,
  nextExpectedArrival,
} from '@family-watch/domain/fences/evaluation/evaluate-fences';
import type { FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { CompiledFencesService } from './compiled-fences.service.js';
import { EVALUATION_DELAY_MS } from './fence-schedule.service.js';
import { FenceEventPublisherService } from './fence-event-publisher.service.js';
import { FenceMonitorRepository } from './fence-monitor.repository.js';
import type { MonitoredChild } from './fence-monitor.repository.js';
import { toFenceStates, toStoredFenceStates } from './stored-fence-states.js';

const EVERY = 10_000;
const CHILDREN_A_UNIT = 100;

interface Judged {
  child: MonitoredChild;
  events: FenceEvent[];
}

/** Tells what needs no position: who stays has dwelled, who is awaited and is not there has not arrived. */
@Injectable()
export class FenceTimerJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly watched: FenceMonitorRepository,
    private readonly compiled: CompiledFencesService,
    private readonly telling: FenceEventPublisherService,
  ) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    while ((await this.judgeSome(now)) === CHILDREN_A_UNIT);
  }

  /** @returns how many children were judged */
  private judgeSome(now: number): Promise<number> {
    return this.unitOfWork.run(async () => {
      const until = now - EVALUATION_DELAY_MS;
      const due = await this.watched.find(await this.watched.lockDue(until, CHILDREN_A_UNIT));
      const compiled = await this.compiled.findByChildren(due);
      const judged = due.flatMap((child) => this.judged(child, compiled.get(child.cid) ?? [], until));
      await this.watched.save(judged.map(({ child }) => child));
      await this.telling.publish(
        judged.map(({ child: { familyId, cid, did }, events }) => ({
          familyId,
          cid,
          did: did ?? 0,
          events,
          knownAt: now,
          fences: compiled.get(cid) ?? [],
        })),
      );
      return judged.length;
    });
  }

  /** A child that cannot be judged stays due and must not keep the clock from those who are judged with it. */
  private judged(child: MonitoredChild, fences: readonly CompiledFence[], until: number): Judged[] {
    try {
      return [judge(child, fences, until)];
    } catch (error) {
      this.logger.error({ msg: 'Fence evaluation failed', cid: child.cid, err: error });
      return [];
    }
  }
}

function judge(child: MonitoredChild, fences: readonly CompiledFence[], until: number): Judged {
  // Of a child without a watch nothing is known, and nobody is waited for.
  if (child.did === null) return { child: { ...child, nextDwell: null, nextArrival: null }, events: [] };
  const { timeZone, lastTime, nextArrival } = child;
  const stay = evaluateDwell(fences, toFenceStates(fences, child.states), until);
  const awaited = nextArrival !== null && nextArrival <= until;
  const stretch = { after: (nextArrival ?? until) - 1, until };
  const missed = awaited ? evaluateMissedArrivals(fences, stay.states, stretch, { lastTime, timeZone }) : [];
  return {
    child: {
      ...child,
      states: toStoredFenceStates(fences, stay.states),
      nextDwell: nextDwellTime(fences, stay.states),
      nextArrival: awaited ? nextExpectedArrival(fences, timeZone, until) : nextArrival,
    },
    events: [...stay.events, ...missed],
  };
}
