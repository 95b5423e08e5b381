import { area } from '@turf/area';
import { polygon } from '@turf/helpers';
import { kinks } from '@turf/kinks';
import type { ErrorDetail } from '@family-watch/domain/kernel/contracts/service-error';
import {
  FENCE_LIMITS,
  type GeoPoint,
  type FencePolygon,
  type FenceShape,
} from '@family-watch/domain/locations/contracts/fence';
import { latitudeDegreesToMetres, metresPerLongitudeDegree, toLocalRing, type LocalRing } from './compile-shape.js';

/** Returns the violation of the first rule that a shape with valid fields violates, or an empty list. */
export function validateShape({ circle, polygon: fencePolygon }: FenceShape): ErrorDetail[] {
  if ((circle === null) === (fencePolygon === null)) {
    return [violation('circle', 'isOneShape', 'set exactly one of circle and polygon')];
  }
  if (circle) return isNearPole(circle) ? [violation('circle.latitude', 'isAwayFromPoles', POLE_MESSAGE)] : [];
  return fencePolygon ? validatePolygon(fencePolygon) : [];
}

const { latitude, area: allowedArea, width } = FENCE_LIMITS;

const POLE_MESSAGE = `a fence must be between latitudes −${latitude.max} and ${latitude.max}`;

function validatePolygon({ points }: FencePolygon): ErrorDetail[] {
  const cornerNearPole = points.findIndex(isNearPole);
  if (cornerNearPole >= 0)
    return [violation(`polygon.points.${cornerNearPole}.latitude`, 'isAwayFromPoles', POLE_MESSAGE)];
  const ring = toLocalRing(points);
  const duplicate = ring.corners.findIndex((corner, index) => ring.corners.slice(0, index).some(isSameCorner(corner)));
  if (duplicate >= 0)
    return [violation(`polygon.points.${duplicate}`, 'isDistinct', 'corners must not repeat, not even the first one')];
  if (isTooWide(ring))
    return [violation('polygon', 'isNotTooWide', `a fence must not be wider or higher than ${width.max} metres`)];
  const shape = polygon([[...ring.corners, ring.corners[0] ?? []]]);
  if (kinks(shape).features.length > 0) {
    return [violation('polygon', 'isSimple', 'the edges must not cross or touch each other')];
  }
  const isTooSmall = area(shape) < allowedArea.min;
  return isTooSmall
    ? [violation('polygon', 'hasArea', `a fence must have at least ${allowedArea.min} square metres`)]
    : [];
}

function isNearPole(corner: GeoPoint): boolean {
  return Math.abs(Number(corner.latitude)) > latitude.max;
}

function isSameCorner([east, north]: [number, number]) {
  return ([otherEast, otherNorth]: [number, number]): boolean => east === otherEast && north === otherNorth;
}

function isTooWide({ boundingBox: [west, south, east, north] }: LocalRing): boolean {
  // A degree of longitude is longest at the latitude nearest to the equator.
  const widestLatitude = Math.min(Math.abs(south), Math.abs(north));
  return (
    latitudeDegreesToMetres(north - south) > width.max ||
    (east - west) * metresPerLongitudeDegree(widestLatitude) > width.max
  );
}

function violation(field: string, rule: string, message: string): ErrorDetail {
  return { field, rule, message: `${field}: ${message}` };
}
