import { destination } from '@turf/destination';
import fc from 'fast-check';
import type { GeoPoint } from '@family-watch/domain/locations/contracts/fence';
import {
  compileFences,
  type ActiveFence,
  type FenceStates,
} from '../../src/locations/fences/evaluation/fence-state.js';
import { evaluateFences, type FenceEvent } from '../../src/locations/fences/evaluation/evaluate-fences.js';
import type { Fix } from '../../src/locations/fences/geometry/compile-shape.js';

const HOME = [121.47, 31.23];
export const DWELL_SECONDS = 300;
export const START_TIME = 1_790_000_000_000;

/** Returns the coordinates (longitude, latitude) of the point `metres` east of `from`; negative metres are west. */
export const pointEastOfHome = (metres: number, from = HOME): number[] =>
  destination(from, metres, 90, { units: 'meters' }).geometry.coordinates;
const toGeoPoint = ([longitude = 0, latitude = 0]: readonly number[]): GeoPoint => ({
  latitude: latitude.toFixed(7),
  longitude: longitude.toFixed(7),
});

export function createFence(
  fenceId: string,
  shape: Pick<ActiveFence, 'circle' | 'polygon'>,
  activeFrom = 0,
): ActiveFence {
  return {
    fenceId,
    cid: 'mia',
    name: fenceId,
    windows: [],
    enabled: true,
    version: 1,
    activeFrom,
    dwell: DWELL_SECONDS,
    notify: { entered: true, left: true, dwelled: true },
    ...shape,
  };
}

export const circleAt = (metresEast: number, radius: number) => ({
  circle: { ...toGeoPoint(pointEastOfHome(metresEast)), radius },
  polygon: null,
});

/** Two overlapping circles and a third circle that overlaps neither. `metresEast`: centre of the circle, from home. */
export const CIRCLES = [
  { fenceId: 'home', metresEast: 0, radius: 100 },
  { fenceId: 'park', metresEast: 150, radius: 120 },
  { fenceId: 'school', metresEast: 800, radius: 60 },
];
export const FENCES = compileFences(
  CIRCLES.map(({ fenceId, metresEast, radius }) => createFence(fenceId, circleAt(metresEast, radius))),
);
export const UNKNOWN_STATES: FenceStates = FENCES.map(() => null);

export const fixAt = (time: number, metresEast: number, radius = 0): Fix => {
  const [longitude = 0, latitude = 0] = pointEastOfHome(metresEast);
  return { time, latitude, longitude, radius };
};

/**
 * Fixes of a child that moves back and forth on an east–west road through all fences. The half metre keeps each fix off
 * the edges of the fences, where the side depends on rounding.
 */
const walksWithRadius = (radius: fc.Arbitrary<number>) =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: -400, max: 1_200 }), radius), { maxLength: 40 })
    .map((steps) => {
      let time = START_TIME;
      return steps.map(([seconds, metres, accuracy]) => fixAt((time += seconds * 1_000), metres + 0.5, accuracy));
    });
export const walksWithExactFixes = walksWithRadius(fc.constant(0));
export const walksWithInaccurateFixes = walksWithRadius(fc.integer({ min: 0, max: 150 }));

export const evaluateWalk = (fixes: readonly Fix[], states = UNKNOWN_STATES) =>
  evaluateFences(FENCES, states, fixes, 'Asia/Shanghai');

export const isCrossing = ({ type }: FenceEvent): boolean => type === 'ENTERED' || type === 'LEFT';
export const toSortedTexts = (events: readonly FenceEvent[]): string[] =>
  events.map(({ fenceId, type, time }) => `${fenceId} ${time} ${type}`).toSorted();
export const crossingsOf = (events: readonly FenceEvent[]): string[] => toSortedTexts(events.filter(isCrossing));
