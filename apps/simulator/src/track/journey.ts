import { distance } from '@turf/distance';
import type { GpxTrackPoint } from './gpx.js';

interface Coordinates {
  latitude: number;
  longitude: number;
}

/** Returns the great-circle distance in metres. */
export function distanceInMetres(from: Coordinates, to: Coordinates): number {
  return distance([from.longitude, from.latitude], [to.longitude, to.latitude], { units: 'meters' });
}

const LAKE_CENTRE = { latitude: 30.2468, longitude: 120.1445 };
const POINT_COUNT = 120;
const INTERVAL_SECONDS = 10;
/** Distance of the shore from the lake's centre in degrees: about 500 metres northward and 530 metres eastward. */
const [NORTHWARD_DEGREES, EASTWARD_DEGREES] = [0.0045, 0.0055];

/** Returns a walk of twenty minutes along the shore of a lake, from home in the east to school in the west. */
export function defaultRoute(): GpxTrackPoint[][] {
  const segment = Array.from({ length: POINT_COUNT }, (_, index): GpxTrackPoint => {
    const angle = (Math.PI * index) / (POINT_COUNT - 1);
    // Varies the distance from the centre, so that the route resembles an irregular shore.
    const shoreFactor = 1 - 0.06 * Math.sin(angle) * (1 + Math.sin(7 * angle));
    return {
      latitude: LAKE_CENTRE.latitude + NORTHWARD_DEGREES * shoreFactor * Math.sin(angle),
      longitude: LAKE_CENTRE.longitude + EASTWARD_DEGREES * shoreFactor * Math.cos(angle),
      time: index * INTERVAL_SECONDS * 1_000,
    };
  });
  return [segment];
}

/** A point of a journey. */
export interface JourneyPoint {
  latitude: number;
  longitude: number;
  /** Milliseconds since the start of the journey; greater than the offset of the previous point. */
  offset: number;
}

/** Assumed speed at points without recorded times. */
const WALKING_METRES_PER_SECOND = 1.4;
/** Maximum speed of a journey. The interval between two recorded points is extended if the speed would be higher. */
const MAX_METRES_PER_SECOND = 50;
/** Assumed speed between the end of a segment and the start of the next segment. */
const DRIVING_METRES_PER_SECOND = 15;
/** Maximum pause between two segments; longer recorded pauses are shortened to this duration. */
const MAX_PAUSE_MS = 10 * 60_000;

/**
 * Joins recorded segments to one journey. Recorded time differences are preserved. The time of a point without a
 * recorded time is interpolated by distance, or extrapolated at walking pace. Pauses between segments are shortened to
 * ten minutes.
 */
export function toJourney(segments: readonly GpxTrackPoint[][]): JourneyPoint[] {
  const journey: JourneyPoint[] = [];
  let before: { point: GpxTrackPoint; time: number } | undefined;
  for (const segment of segments) {
    const times = toIncreasingTimes(segment, toTimes(segment));
    const [firstTime = 0] = times;
    const start =
      before && segment[0] ? segmentStartOffset(before, segment[0], firstTime, journey.at(-1)?.offset ?? 0) : 0;
    segment.forEach(({ latitude, longitude }, index) => {
      journey.push({ latitude, longitude, offset: start + (times[index] ?? 0) - firstTime });
    });
    const last = segment.at(-1);
    if (last) before = { point: last, time: times.at(-1) ?? 0 };
  }
  return journey;
}

/**
 * Returns the offset of a segment's first point. The point follows the last point of the previous segment after the
 * recorded pause or the driving time, whichever is longer.
 */
function segmentStartOffset(
  before: { point: GpxTrackPoint; time: number },
  first: GpxTrackPoint,
  firstTime: number,
  lastOffset: number,
): number {
  const isRecorded = before.point.time !== undefined && first.time !== undefined && firstTime > before.time;
  const pause = isRecorded ? Math.min(MAX_PAUSE_MS, firstTime - before.time) : 0;
  const driveMs = (distanceInMetres(before.point, first) / DRIVING_METRES_PER_SECOND) * 1_000;
  return lastOffset + Math.max(1_000, pause, Math.ceil(driveMs));
}

/** Returns the times of a segment's points, Unix milliseconds; if no time is recorded, the first point has time 0. */
function toTimes(segment: readonly GpxTrackPoint[]): number[] {
  const walked = distancesAlong(segment);
  const recorded = segment.flatMap(({ time }, index) => (time === undefined ? [] : [{ index, time }]));
  return segment.map(({ time }, index) => {
    if (time !== undefined) return time;
    const earlier = recorded.findLast((point) => point.index < index);
    const later = recorded.find((point) => point.index > index);
    const metres = (from: number, to: number): number => (walked[to] ?? 0) - (walked[from] ?? 0);
    if (earlier && later) {
      const total = metres(earlier.index, later.index);
      const fraction = total > 0 ? metres(earlier.index, index) / total : 0.5;
      return earlier.time + (later.time - earlier.time) * fraction;
    }
    if (earlier) return earlier.time + (metres(earlier.index, index) / WALKING_METRES_PER_SECOND) * 1_000;
    if (later) return later.time - (metres(index, later.index) / WALKING_METRES_PER_SECOND) * 1_000;
    return ((walked[index] ?? 0) / WALKING_METRES_PER_SECOND) * 1_000;
  });
}

/** Rounds times to whole milliseconds, and makes them strictly increasing without exceeding the maximum speed. */
function toIncreasingTimes(segment: readonly GpxTrackPoint[], times: readonly number[]): number[] {
  const result: number[] = [];
  segment.forEach((point, index) => {
    const [before, previous] = [segment[index - 1], result[index - 1]];
    const time = Math.round(times[index] ?? 0);
    if (!before || previous === undefined) result.push(time);
    else
      result.push(
        Math.max(
          time,
          previous + Math.max(1, Math.ceil((distanceInMetres(before, point) / MAX_METRES_PER_SECOND) * 1_000)),
        ),
      );
  });
  return result;
}

/** Returns the distance walked up to each point, metres. */
function distancesAlong(segment: readonly GpxTrackPoint[]): number[] {
  let metres = 0;
  return segment.map((point, index) => {
    const before = segment[index - 1];
    if (before) metres += distanceInMetres(before, point);
    return metres;
  });
}
