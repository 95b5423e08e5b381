import { Injectable } from '@nestjs/common';
import { compileFences, nextDwellTime } from '@family-watch/domain/fences/evaluation/fence-state';
import { nextExpectedArrival } from '@family-watch/domain/fences/evaluation/evaluate-fences';
import { FenceRepository } from './fence.repository.js';
import type { ChildKey } from './fence.repository.js';
import { FenceMonitorRepository } from './fence-monitor.repository.js';
import { toFenceStates, toStoredFenceStates } from './stored-fence-states.js';

/**
 * Milliseconds. Delay with which fences are evaluated after a due time, because a fix from before the due time may
 * still be in transit.
 */
export const EVALUATION_DELAY_MS = 30_000;

/** Maintains the due times of a child's fences for {@link FenceTimerJob}. */
@Injectable()
export class FenceScheduleService {
  constructor(
    private readonly fences: FenceRepository,
    private readonly monitors: FenceMonitorRepository,
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
}
