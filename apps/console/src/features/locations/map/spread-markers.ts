/** A marker on the screen, in pixels. */
export interface ScreenMarker {
  id: string;
  x: number;
  y: number;
}

/** Space that a marker with its caption needs on the screen, in pixels. */
const MARKER_WIDTH = 76;
const MARKER_HEIGHT = 84;
/** Markers whose distance is smaller are in the order of their ids, so that the order does not change with each fix. */
const SAME_PLACE_PIXELS = 8;

/**
 * Returns how far markers must move to the right, in pixels, so that markers which would cover each other stand side by
 * side. Markers with space around them are not in the result.
 */
export function spreadMarkers(markers: readonly ScreenMarker[]): ReadonlyMap<string, number> {
  const shifts = new Map<string, number>();
  for (const group of findGroups(markers)) {
    if (group.length === 1) continue;
    const { left } = extentOf(group);
    const ordered = group.toSorted((a, b) => columnOf(a) - columnOf(b) || (a.id < b.id ? -1 : 1));
    for (const [index, { id, x }] of ordered.entries()) shifts.set(id, left + (index + 0.5) * MARKER_WIDTH - x);
  }
  return shifts;
}

/** Returns groups of markers, so that no group covers another one after its markers are put side by side. */
function findGroups(markers: readonly ScreenMarker[]): ScreenMarker[][] {
  const groups: ScreenMarker[][] = [];
  for (const marker of markers) {
    let merged = [marker];
    // A larger group may cover a group that it did not cover before.
    for (let index = findCovered(groups, merged); index >= 0; index = findCovered(groups, merged))
      merged = [...merged, ...groups.splice(index, 1).flat()];
    groups.push(merged);
  }
  return groups;
}

function findCovered(groups: readonly ScreenMarker[][], group: readonly ScreenMarker[]): number {
  const a = extentOf(group);
  return groups.findIndex((other) => {
    const b = extentOf(other);
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  });
}

/** Returns the area that the markers need side by side, around their centre. */
function extentOf(group: readonly ScreenMarker[]): { left: number; right: number; top: number; bottom: number } {
  const centre = group.reduce((sum, { x }) => sum + x, 0) / group.length;
  const halfWidth = (group.length * MARKER_WIDTH) / 2;
  const tops = group.map(({ y }) => y);
  return {
    left: centre - halfWidth,
    right: centre + halfWidth,
    top: Math.min(...tops),
    bottom: Math.max(...tops) + MARKER_HEIGHT,
  };
}

function columnOf({ x }: ScreenMarker): number {
  return Math.round(x / SAME_PLACE_PIXELS);
}
