import type { Schema } from '@family-watch/client';
import type { Position } from '../map/coordinates.js';
import { circleAround, distanceBetween, isInside, positionOf } from '../map/geometry.js';
import type { MapArea } from '../map/map-contents.js';

type Shape = Pick<Schema<'FenceDto'>, 'circle' | 'polygon'>;

/** Returns the corners of a fence, or of a polygon that looks like its circle. */
function cornersOf({ circle, polygon }: Shape): Position[] {
  if (circle) return circleAround(positionOf(circle), circle.radius);
  return (polygon?.points ?? []).map(positionOf);
}

/** Returns what a map shows of a fence; gray if it is switched off. */
export function fenceAreaOf(fence: Schema<'FenceDto'>): MapArea {
  const { fenceId, name, enabled } = fence;
  return { id: fenceId, corners: cornersOf(fence), color: enabled ? 'indigo' : 'gray', name };
}

/** Returns the areas of the fences of several children, and one area for those with the same name and shape. */
export function uniqueAreasOf(fences: readonly Schema<'FenceDto'>[]): MapArea[] {
  const areas = fences.filter(({ enabled }) => enabled).map(fenceAreaOf);
  return [...new Map(areas.map((area) => [JSON.stringify([area.name, area.corners]), area])).values()];
}

/**
 * Returns whether a location is in a fence: `uncertain` if its centre is inside, but the circle in which the watch is
 * expected is not.
 */
export function presenceIn(
  { circle, polygon }: Shape,
  location: Omit<Schema<'ChildLocationDto'>, 'positionTime' | 'pointType'>,
): 'inside' | 'uncertain' | 'outside' {
  const position = positionOf(location);
  if (circle) {
    const distance = distanceBetween(positionOf(circle), position);
    if (distance + location.radius <= circle.radius) return 'inside';
    return distance <= circle.radius ? 'uncertain' : 'outside';
  }
  const corners = (polygon?.points ?? []).map(positionOf);
  if (!isInside(position, corners)) return 'outside';
  const isWhollyInside = circleAround(position, location.radius).every((edge) => isInside(edge, corners));
  return isWhollyInside ? 'inside' : 'uncertain';
}

/** Returns the name of the first fence that contains the centre of a location, if there is one. */
export function placeNameOf(
  fences: readonly Pick<Schema<'FenceDto'>, 'name' | 'circle' | 'polygon'>[],
  location: Omit<Schema<'ChildLocationDto'>, 'positionTime' | 'pointType'>,
): string | undefined {
  return fences.find((fence) => presenceIn(fence, location) !== 'outside')?.name;
}

/** Returns where a map shows the name of a fence. */
export function centreOf(fence: Shape): Position {
  if (fence.circle) return positionOf(fence.circle);
  const corners = cornersOf(fence);
  const mean = (axis: 0 | 1) => corners.reduce((sum, corner) => sum + corner[axis], 0) / Math.max(1, corners.length);
  return [mean(0), mean(1)];
}
