import { FENCE_EVENT_TYPE } from '../contracts/fence.js';
import type { FenceEventType } from '../contracts/fence.js';
import type { Fix } from '../geometry/compile-shape.js';
import type { CompiledFence } from './compiled-fence.js';
import { applyFixes, applyElapsedTime } from './crossings.js';
import type { CrossingResult, Crossing } from './crossings.js';
import type { FenceStates } from './fence-state.js';
import { isLeavingEarly, nextArrivalTime } from './attendance-windows.js';
import { findMissedCrossings } from './late-fixes.js';
import type { FixHistory } from './late-fixes.js';

/** Something that the family asked to be told. `time`: when it was so, Unix milliseconds. */
export interface FenceEvent {
  fenceId: string;
  type: FenceEventType;
  time: number;
}

export interface FenceEvaluation {
  states: FenceStates;
  events: FenceEvent[];
}

/** Evaluates fixes in the order of their times, all of them newer than what the states know. */
export function evaluateFences(
  fences: readonly CompiledFence[],
  states: FenceStates,
  fixes: readonly Fix[],
  timeZone: string,
): FenceEvaluation {
  return told(fences, applyFixes(fences, states, fixes), timeZone);
}

/**
 * Evaluates fixes of which some are older than what the states know: tells what was not told yet.
 * @param before what was told of the time of the track
 */
export function evaluateLateFixes(
  fences: readonly CompiledFence[],
  states: FenceStates,
  track: FixHistory,
  { before, timeZone }: { before: readonly FenceEvent[]; timeZone: string },
): FenceEvaluation {
  const crossings = before.flatMap((event) => crossingsBehind(fences, event));
  return told(fences, findMissedCrossings(fences, states, track, crossings), timeZone);
}

/** Who stays inside has dwelled when the time has come, without a fix. `until` (inclusive): Unix milliseconds. */
export function evaluateDwell(fences: readonly CompiledFence[], states: FenceStates, until: number): FenceEvaluation {
  return told(fences, applyElapsedTime(fences, states, until), 'UTC');
}

/** For how long a child counts as inside that no fix has confirmed. Milliseconds. */
export const MAX_STATE_AGE_MS = 12 * 3_600_000;

/** A stretch of time, from behind `after` to `until` (inclusive), in Unix milliseconds. */
export interface TimeRange {
  after: number;
  until: number;
}

/**
 * Who was awaited within the stretch and was not inside. A child of whom nothing is known has not arrived, and one
 * that was seen inside too long ago may have left since.
 * @param lastTime of the newest fix, Unix milliseconds
 */
export function evaluateMissedArrivals(
  fences: readonly CompiledFence[],
  states: FenceStates,
  { after, until }: TimeRange,
  { lastTime, timeZone }: { lastTime: number | null; timeZone: string },
): FenceEvent[] {
  const events: FenceEvent[] = [];
  for (const [index, { fenceId, windows, activeFrom }] of fences.entries()) {
    let time = nextArrivalTime(windows, timeZone, Math.max(after, activeFrom));
    for (; time !== null && time <= until; time = nextArrivalTime(windows, timeZone, time)) {
      const isFresh = lastTime !== null && time - lastTime <= MAX_STATE_AGE_MS;
      if (!isFresh || !wasInside(states, index, time)) {
        events.push({ fenceId, type: FENCE_EVENT_TYPE.NOT_ARRIVED, time });
      }
    }
  }
  return events;
}

/** When a child of these fences is awaited next, `null` for never. Unix milliseconds. */
export function nextExpectedArrival(fences: readonly CompiledFence[], timeZone: string, after: number): number | null {
  const windows = fences.flatMap((fence) => fence.windows);
  return nextArrivalTime(windows, timeZone, after);
}

/** Who is on this side since later was on the other one then. */
function wasInside(states: FenceStates, index: number, time: number): boolean {
  const state = states[index];
  if (!state) return false;
  return state.since <= time ? state.inside : !state.inside;
}

function told(
  fences: readonly CompiledFence[],
  { states, crossings }: CrossingResult,
  timeZone: string,
): FenceEvaluation {
  return { states, events: crossings.flatMap((crossing) => eventsOf(fences[crossing.fence], crossing, timeZone)) };
}

function eventsOf(fence: CompiledFence | undefined, { type, time }: Crossing, timeZone: string): FenceEvent[] {
  if (!fence) return [];
  const { fenceId, notify, windows } = fence;
  switch (type) {
    case 'ENTERED':
      return notify.entered ? [{ fenceId, type, time }] : [];
    case 'DWELLED':
      return notify.dwelled ? [{ fenceId, type, time }] : [];
    case 'LEFT': {
      const isEarly = isLeavingEarly(windows, timeZone, time);
      return [
        ...(notify.left ? [{ fenceId, type, time }] : []),
        ...(isEarly ? [{ fenceId, type: FENCE_EVENT_TYPE.LEFT_EARLY, time }] : []),
      ];
    }
  }
}

/** What has happened when this was told. */
function crossingsBehind(fences: readonly CompiledFence[], { fenceId, type, time }: FenceEvent): Crossing[] {
  const fence = fences.findIndex((one) => one.fenceId === fenceId && one.activeFrom <= time);
  if (fence < 0 || type === FENCE_EVENT_TYPE.NOT_ARRIVED) return [];
  return [{ fence, type: type === FENCE_EVENT_TYPE.LEFT_EARLY ? FENCE_EVENT_TYPE.LEFT : type, time }];
}
