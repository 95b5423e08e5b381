import { compareFixes } from '../geometry/compile-shape.js';
import type { Fix } from '../geometry/compile-shape.js';
import type { CompiledFence } from './compiled-fence.js';
import { applyFixes } from './crossings.js';
import type { CrossingResult, Crossing } from './crossings.js';
import type { FenceState, FenceStates } from './fence-state.js';

/** The track around fixes that came late. */
export interface FixHistory {
  /** What was judged before: some of before the first late fix, and everything since. In the order of time. */
  known: readonly Fix[];
  /** What was not, newer ones included. */
  late: readonly Fix[];
}

/**
 * Follows the track without the late fixes and with them, and returns the crossings that are new. A late fix can only
 * add crossings, or show that one happened earlier than it was told. The side at the time of one that was told is as
 * sure as ever, so it stands for the last crossing of its kind up to then; one that nobody was told of, because nobody
 * asked, stands for itself. The present follows from the whole track in the order of time: a late fix changes it only
 * where no later one is sure.
 *
 * @param told what was told of the time of this track
 */
export function findMissedCrossings(
  fences: readonly CompiledFence[],
  present: FenceStates,
  { known, late }: FixHistory,
  told: readonly Crossing[],
): CrossingResult {
  const nothing = fences.map(() => null);
  const before = applyFixes(fences, nothing, known);
  const after = applyFixes(fences, nothing, [...known, ...late].toSorted(compareFixes));
  const states = fences.map((fence, index) =>
    settle(fence, present[index] ?? null, before.states[index] ?? null, after.states[index] ?? null),
  );
  const byFence = [told, before.crossings, after.crossings].map((all) => Map.groupBy(all, ({ fence }) => fence));
  const fresh = fences.flatMap((_, fence) => {
    const [own = [], then = [], now = []] = byFence.map((crossings) => crossings.get(fence));
    return unaccounted(now, [...own, ...unaccounted(then, own)]);
  });
  const isFresh = new Set(fresh);
  return { states, crossings: after.crossings.filter((crossing) => isFresh.has(crossing)) };
}

/** What is unchanged by the late fixes stays as the present has it, which may know more than the track. */
function settle(
  { dwell }: CompiledFence,
  present: FenceState | null,
  before: FenceState | null,
  after: FenceState | null,
): FenceState | null {
  if (!after) return present;
  if (before?.inside === after.inside && before.since === after.since) {
    return present && { ...present, dwelled: present.dwelled || (after.dwelled && !before.dwelled) };
  }
  const isTold = present !== null && present.inside && present.dwelled && present.since + dwell >= after.since;
  return { ...after, dwelled: after.dwelled || (after.inside && isTold) };
}

/**
 * The crossings of one fence, in the order of time, that nothing stands for. Who moves to and fro all day makes
 * thousands of them, so none is compared with all others.
 */
function unaccounted(crossings: readonly Crossing[], standing: readonly Crossing[]): Crossing[] {
  const ofType = Map.groupBy(crossings, ({ type }) => type);
  const accounted = new Set(standing.map(({ type, time }) => lastUpTo(ofType.get(type) ?? [], time)));
  const dwelled = standing.filter(({ type }) => type === 'DWELLED');
  return crossings.filter((one, position) =>
    one.type === 'DWELLED' ? !isStayKnown(position, crossings, dwelled) : !accounted.has(one),
  );
}

/** The last of these, which are in the order of time, up to this moment. */
function lastUpTo(crossings: readonly Crossing[], time: number): Crossing | undefined {
  let [low, high] = [0, crossings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((crossings[middle]?.time ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  return crossings[low - 1];
}

/** Is it known of any time of this stay that the child had dwelled? What is around it began the stay and ended it. */
function isStayKnown(position: number, crossings: readonly Crossing[], dwelled: readonly Crossing[]): boolean {
  const start = crossings[position - 1]?.time ?? -Infinity;
  const end = crossings[position + 1]?.time ?? Infinity;
  return dwelled.some(({ time }) => time >= start && time <= end);
}
