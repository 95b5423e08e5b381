import { Injectable } from '@nestjs/common';
import { compileFences } from '@family-watch/domain/fences/evaluation/compiled-fence';
import { nextExpectedArrival } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import { FenceRepository } from './fence.repository.js';
import type { ChildKey } from './fence.repository.js';
import { FenceMonitorRepository } from './fence-monitor.repository.js';
import { toFenceStates, toStoredFenceStates } from './stored-fence-states.js';

/**
 * What comes due is judged this much later: a position of just before is still on its way. Milliseconds.
 */
export const EVALUATION_DELAY_MS = 30_000;

/** Keeps what is due when, for the clock, in step with what a child's fences and circumstances are. */
@Injectable()
export class FenceScheduleService {
  constructor(
    private readonly fences: FenceRepository,
    private readonly watched: FenceMonitorRepository,
  ) {}

  /** After a change of the fences in the caller's unit, which has locked the child. */
  async onFencesChanged(child: ChildKey): Promise<void> {
    await this.watched.nextVersion(child);
    await this.refresh(child, false);
  }

  /** Another watch, or none, or another time zone. @param anew nothing is known any more of where the child is */
  async onChildContextChanged(child: ChildKey, { anew }: { anew: boolean }): Promise<void> {
    await this.watched.lockChild(child.cid);
    await this.refresh(child, anew);
  }

  private async refresh(child: ChildKey, anew: boolean): Promise<void> {
    const [row] = await this.watched.find([child]);
    if (!row) return;
    const fences = compileFences(await this.fences.findByChild(child));
    const states = toFenceStates(fences, anew ? [] : row.states);
    const awaited = row.did !== null;
    await this.watched.save([
      {
        ...row,
        states: toStoredFenceStates(fences, states),
        nextDwell: awaited ? nextDwellTime(fences, states) : null,
        nextArrival: awaited ? nextExpectedArrival(fences, row.timeZone, Date.now() - EVALUATION_DELAY_MS) : null,
      },
    ]);
  }
}
