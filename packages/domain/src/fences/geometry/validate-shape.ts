import { area } from '@turf/area';
import { polygon } from '@turf/helpers';
import { kinks } from '@turf/kinks';
import type { ErrorDetail } from '../../kernel/contracts/service-error.js';
import { FENCE_LIMITS } from '../contracts/fence.js';
import type { GeoPoint, FencePolygon, FenceShape } from '../contracts/fence.js';
import { latitudeDegreesToMetres, metresPerLongitudeDegree, toLocalRing } from './local-ring.js';
import type { LocalRing } from './local-ring.js';

/** The rules that this shape of well-formed fields breaks, of a polygon the first one. */
export function validateShape({ circle, polygon: corners }: FenceShape): ErrorDetail[] {
  if ((circle === null) === (corners === null)) {
    return [broken('circle', 'isOneShape', 'there must be either a circle or a polygon')];
  }
  if (circle) return isNearPole(circle) ? [broken('circle.latitude', 'isAwayFromPoles', AWAY_FROM_POLES)] : [];
  return corners ? brokenPolygonRules(corners) : [];
}

const { latitude, area: allowedArea, width } = FENCE_LIMITS;

const AWAY_FROM_POLES = `a fence must lie between ${latitude.max} degrees south and north`;

function brokenPolygonRules({ points }: FencePolygon): ErrorDetail[] {
  const pole = points.findIndex(isNearPole);
  if (pole >= 0) return [broken(`polygon.points.${pole}.latitude`, 'isAwayFromPoles', AWAY_FROM_POLES)];
  const ring = toLocalRing(points);
  const twice = ring.corners.findIndex((corner, index) => ring.corners.slice(0, index).some(isSame(corner)));
  if (twice >= 0)
    return [broken(`polygon.points.${twice}`, 'isDistinct', 'no corner may come twice, not even to close')];
  if (isTooWide(ring))
    return [broken('polygon', 'isNotTooWide', `a fence is at most ${width.max} metres wide and high`)];
  const shape = polygon([[...ring.corners, ring.corners[0] ?? []]]);
  if (kinks(shape).features.length > 0) {
    return [broken('polygon', 'isSimple', 'the edges must not cross or touch each other')];
  }
  const isFlat = area(shape) < allowedArea.min;
  return isFlat ? [broken('polygon', 'hasArea', `a fence is at least ${allowedArea.min} square metres large`)] : [];
}

function isNearPole(place: GeoPoint): boolean {
  return Math.abs(Number(place.latitude)) > latitude.max;
}

function isSame([east, north]: [number, number]) {
  return ([otherEast, otherNorth]: [number, number]): boolean => east === otherEast && north === otherNorth;
}

function isTooWide({ box: [west, south, east, north] }: LocalRing): boolean {
  const widest = Math.min(Math.abs(south), Math.abs(north));
  return (
    latitudeDegreesToMetres(north - south) > width.max || (east - west) * metresPerLongitudeDegree(widest) > width.max
  );
}

function broken(field: string, rule: string, message: string): ErrorDetail {
  return { field, rule, message: `${field} breaks a rule: ${message}` };
}
