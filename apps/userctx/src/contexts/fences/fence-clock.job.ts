import { Injectable } from '@nestjs/common';
import type { CompiledFence } from '@family-watch/domain/fences/evaluation/compiled-fence';
import { evaluateArrivals, evaluateStay, nextArrivalOf } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import type { FenceEvent } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import { PeriodicJob } from '@family-watch/platform/process/periodic-job';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { CompiledFences } from './compiled-fences.service.js';
import { GRACE } from './fence-schedule.service.js';
import { FenceTelling } from './fence-telling.service.js';
import { FenceWatchRepository } from './fence-watch.repository.js';
import type { WatchedChild } from './fence-watch.repository.js';
import { statesOf, storedStates } from './stored-states.js';

const EVERY = 10_000;
const CHILDREN_A_UNIT = 100;

interface Judged {
  child: WatchedChild;
  events: FenceEvent[];
}

/** Tells what needs no position: who stays has dwelled, who is awaited and is not there has not arrived. */
@Injectable()
export class FenceClockJob extends PeriodicJob {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly watched: FenceWatchRepository,
    private readonly compiled: CompiledFences,
    private readonly telling: FenceTelling,
  ) {
    super(EVERY);
  }

  async run(now = Date.now()): Promise<void> {
    while ((await this.judgeSome(now)) === CHILDREN_A_UNIT);
  }

  /** @returns how many children were judged */
  private judgeSome(now: number): Promise<number> {
    return this.unitOfWork.run(async () => {
      const until = now - GRACE;
      const due = await this.watched.find(await this.watched.lockDue(until, CHILDREN_A_UNIT));
      const compiled = await this.compiled.of(due);
      const judged = due.flatMap((child) => this.judged(child, compiled.get(child.cid) ?? [], until));
      await this.watched.save(judged.map(({ child }) => child));
      await this.telling.tell(
        judged.map(({ child: { familyId, cid, did }, events }) => ({
          ...{ familyId, cid, did: did ?? 0, events, knownAt: now },
          fences: compiled.get(cid) ?? [],
        })),
      );
      return judged.length;
    });
  }

  /** A child that cannot be judged stays due and must not keep the clock from those who are judged with it. */
  private judged(child: WatchedChild, fences: readonly CompiledFence[], until: number): Judged[] {
    try {
      return [judge(child, fences, until)];
    } catch (error) {
      this.logger.error(`The fences of child ${child.cid} cannot be judged: ${String(error)}`);
      return [];
    }
  }
}

function judge(child: WatchedChild, fences: readonly CompiledFence[], until: number): Judged {
  // Of a child without a watch nothing is known, and nobody is waited for.
  if (child.did === null) return { child: { ...child, nextDwell: null, nextArrival: null }, events: [] };
  const { timeZone, lastTime, nextArrival } = child;
  const stay = evaluateStay(fences, statesOf(fences, child.states), until);
  const awaited = nextArrival !== null && nextArrival <= until;
  const stretch = { after: (nextArrival ?? until) - 1, until };
  const missed = awaited ? evaluateArrivals(fences, stay.states, stretch, { lastTime, timeZone }) : [];
  return {
    child: {
      ...child,
      states: storedStates(fences, stay.states),
      nextDwell: nextDwellTime(fences, stay.states),
      nextArrival: awaited ? nextArrivalOf(fences, timeZone, until) : nextArrival,
    },
    events: [...stay.events, ...missed],
  };
}
