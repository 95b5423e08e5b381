/** A marker on the screen, in pixels. */
export interface ScreenMarker {
  id: string;
  x: number;
  y: number;
}

/** Space that a marker with its caption needs on the screen, in pixels. */
const MARKER_WIDTH = 76;
const MARKER_HEIGHT = 84;

/**
 * Returns how far markers must move to the right, in pixels, so that markers which would cover each other stand side by
 * side. Markers with space around them are not in the result.
 */
export function spreadMarkers(markers: readonly ScreenMarker[]): ReadonlyMap<string, number> {
  const shifts = new Map<string, number>();
  for (const group of groupsOf(markers)) {
    if (group.length === 1) continue;
    const centre = group.reduce((sum, { x }) => sum + x, 0) / group.length;
    for (const [index, { id, x }] of group.entries())
      shifts.set(id, centre + (index - (group.length - 1) / 2) * MARKER_WIDTH - x);
  }
  return shifts;
}

/** Returns groups of markers in which each marker covers another one; in the order of their ids, which does not change. */
function groupsOf(markers: readonly ScreenMarker[]): ScreenMarker[][] {
  let groups: ScreenMarker[][] = [];
  for (const marker of markers) {
    const isCovered = (group: readonly ScreenMarker[]) => group.some((other) => isCovering(marker, other));
    const merged = [marker, ...groups.filter(isCovered).flat()];
    groups = [...groups.filter((group) => !isCovered(group)), merged];
  }
  return groups.map((group) => group.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
}

function isCovering(a: ScreenMarker, b: ScreenMarker): boolean {
  return Math.abs(a.x - b.x) < MARKER_WIDTH && Math.abs(a.y - b.y) < MARKER_HEIGHT;
}
