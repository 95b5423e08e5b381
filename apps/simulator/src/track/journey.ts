import { distanceInMetres } from './distance.js';
import type { GpxTrackPoint } from './gpx.js';

/** A place of a journey; `offset`: milliseconds since its beginning, strictly rising. */
export interface JourneyPoint {
  latitude: number;
  longitude: number;
  offset: number;
}

/** Metres a second. */
const WALKING = 1.4;
/** Faster than this nobody goes in a recording: it is noise of the clock, and the step is given the time it needs. */
const FASTEST = 50;
/** How one gets from the end of a segment to the beginning of the next. */
const DRIVING = 15;
/** Between two segments the receiver was off: nobody wants to watch that. Milliseconds. */
const LONGEST_PAUSE = 10 * 60_000;

/**
 * One journey out of recorded segments. Times keep their distances; points without time lie between their neighbours
 * by the way walked, or continue at walking pace; pauses between segments are shortened to ten minutes.
 */
export function toJourney(segments: readonly GpxTrackPoint[][]): JourneyPoint[] {
  const journey: JourneyPoint[] = [];
  let before: { point: GpxTrackPoint; time: number } | undefined;
  for (const segment of segments) {
    const times = steady(segment, timesOf(segment));
    const [firstTime = 0] = times;
    const start = before && segment[0] ? startAfter(before, segment[0], firstTime, journey.at(-1)?.offset ?? 0) : 0;
    segment.forEach(({ latitude, longitude }, index) => {
      journey.push({ latitude, longitude, offset: start + (times[index] ?? 0) - firstTime });
    });
    const last = segment.at(-1);
    if (last) before = { point: last, time: times.at(-1) ?? 0 };
  }
  return journey;
}

/** Offset of a segment's first point: after the recorded pause where there was one that makes sense. */
function startAfter(
  before: { point: GpxTrackPoint; time: number },
  first: GpxTrackPoint,
  firstTime: number,
  lastOffset: number,
): number {
  const isRecorded = before.point.time !== undefined && first.time !== undefined && firstTime > before.time;
  const pause = isRecorded ? Math.min(LONGEST_PAUSE, firstTime - before.time) : 0;
  const onTheWay = (distanceInMetres(before.point, first) / DRIVING) * 1_000;
  return lastOffset + Math.max(1_000, pause, Math.ceil(onTheWay));
}

/** Times of a segment's points, Unix milliseconds; from 0 if it has none at all. */
function timesOf(segment: readonly GpxTrackPoint[]): number[] {
  const way = wayAlong(segment);
  const known = segment.flatMap(({ time }, index) => (time === undefined ? [] : [{ index, time }]));
  return segment.map(({ time }, index) => {
    if (time !== undefined) return time;
    const earlier = known.findLast((point) => point.index < index);
    const later = known.find((point) => point.index > index);
    const metres = (from: number, to: number): number => (way[to] ?? 0) - (way[from] ?? 0);
    if (earlier && later) {
      const whole = metres(earlier.index, later.index);
      const part = whole > 0 ? metres(earlier.index, index) / whole : 0.5;
      return earlier.time + (later.time - earlier.time) * part;
    }
    if (earlier) return earlier.time + (metres(earlier.index, index) / WALKING) * 1_000;
    if (later) return later.time - (metres(index, later.index) / WALKING) * 1_000;
    return ((way[index] ?? 0) / WALKING) * 1_000;
  });
}

/** Whole milliseconds, strictly rising, and never faster than a recording can be. */
function steady(segment: readonly GpxTrackPoint[], times: readonly number[]): number[] {
  const result: number[] = [];
  segment.forEach((point, index) => {
    const [before, previous] = [segment[index - 1], result[index - 1]];
    const time = Math.round(times[index] ?? 0);
    if (!before || previous === undefined) result.push(time);
    else
      result.push(
        Math.max(time, previous + Math.max(1, Math.ceil((distanceInMetres(before, point) / FASTEST) * 1_000))),
      );
  });
  return result;
}

/** Metres walked up to each point. */
function wayAlong(segment: readonly GpxTrackPoint[]): number[] {
  let metres = 0;
  return segment.map((point, index) => {
    const before = segment[index - 1];
    if (before) metres += distanceInMetres(before, point);
    return metres;
  });
}
