import { FENCE_EVENT_TYPE, type FenceEventType } from '@family-watch/domain/locations/contracts/fence';
import type { Fix } from '../geometry/compile-shape.js';
import type { CompiledFence, FenceStates } from './fence-state.js';
import {
  applyFixes,
  applyElapsedTime,
  findMissedCrossings,
  type CrossingResult,
  type Crossing,
  type FixHistory,
} from './crossings.js';
import { isLeavingEarly, nextArrivalTime } from './attendance-windows.js';

/** A fence event of which the family is notified. `time` is in Unix milliseconds. */
export interface FenceEvent {
  fenceId: string;
  type: FenceEventType;
  time: number;
}

export interface FenceEvaluation {
  states: FenceStates;
  events: FenceEvent[];
}

/** Evaluates fixes in time order. All fixes must be newer than the fixes that produced `states`. */
export function evaluateFences(
  fences: readonly CompiledFence[],
  states: FenceStates,
  fixes: readonly Fix[],
  timeZone: string,
): FenceEvaluation {
  return toEvaluation(fences, applyFixes(fences, states, fixes), timeZone);
}

/**
 * Evaluates fixes of which some are older than the newest fix that produced `states`. Returns only events that were not
 * reported yet.
 * @param reportedEvents - events that were already reported for the period of the track
 */
export function evaluateLateFixes(
  fences: readonly CompiledFence[],
  states: FenceStates,
  track: FixHistory,
  { reportedEvents, timeZone }: { reportedEvents: readonly FenceEvent[]; timeZone: string },
): FenceEvaluation {
  const crossings = reportedEvents.flatMap((event) => toCrossings(fences, event));
  return toEvaluation(fences, findMissedCrossings(fences, states, track, crossings), timeZone);
}

/** Reports DWELLED for stays that reach the dwell time by `until` (inclusive, Unix milliseconds) without a new fix. */
export function evaluateDwell(fences: readonly CompiledFence[], states: FenceStates, until: number): FenceEvaluation {
  return toEvaluation(fences, applyElapsedTime(fences, states, until), 'UTC');
}

/** How long the last fix determines whether a child is inside a fence, in milliseconds. */
export const MAX_STATE_AGE_MS = 12 * 3_600_000;

/** A time range, after `after` (exclusive) and up to `until` (inclusive), in Unix milliseconds. */
export interface TimeRange {
  after: number;
  until: number;
}

/**
 * Reports NOT_ARRIVED for each deadline within the range at which the child was not inside. A child without a state or
 * with a last fix older than {@link MAX_STATE_AGE_MS} counts as outside.
 * @param lastTime time of the newest fix, Unix milliseconds
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

/** Returns the next deadline for an arrival at one of these fences, or `null`. The deadline is in Unix milliseconds. */
export function nextExpectedArrival(fences: readonly CompiledFence[], timeZone: string, after: number): number | null {
  const windows = fences.flatMap((fence) => fence.windows);
  return nextArrivalTime(windows, timeZone, after);
}

/**
 * Returns whether the child was inside the fence at `index` at `time`. If the child has crossed the fence after `time`,
 * this is the opposite of the current state.
 */
function wasInside(states: FenceStates, index: number, time: number): boolean {
  const state = states[index];
  if (!state) return false;
  return state.since <= time ? state.inside : !state.inside;
}

function toEvaluation(
  fences: readonly CompiledFence[],
  { states, crossings }: CrossingResult,
  timeZone: string,
): FenceEvaluation {
  return { states, events: crossings.flatMap((crossing) => toEvents(fences[crossing.fenceIndex], crossing, timeZone)) };
}

function toEvents(fence: CompiledFence | undefined, { type, time }: Crossing, timeZone: string): FenceEvent[] {
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

/**
 * Returns the crossing that caused a reported event; an empty list for NOT_ARRIVED and for a fence that has changed.
 */
function toCrossings(fences: readonly CompiledFence[], { fenceId, type, time }: FenceEvent): Crossing[] {
  const fenceIndex = fences.findIndex((one) => one.fenceId === fenceId && one.activeFrom <= time);
  if (fenceIndex < 0 || type === FENCE_EVENT_TYPE.NOT_ARRIVED) return [];
  return [{ fenceIndex, type: type === FENCE_EVENT_TYPE.LEFT_EARLY ? FENCE_EVENT_TYPE.LEFT : type, time }];
}
