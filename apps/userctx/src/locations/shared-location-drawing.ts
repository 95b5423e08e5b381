/** Size of the drawing in its own units; a browser scales it to the page. */
const WIDTH = 320;
const HEIGHT = 240;
const CENTER = { x: WIDTH / 2, y: HEIGHT / 2 };
/** Radius of the accuracy circle, so that it fills most of the drawing. */
const CIRCLE = 80;
/** Below this accuracy radius, in metres, the circle becomes smaller instead of the scale larger. */
const MIN_RADIUS_METRES = 25;
const MAX_BAR = 100;

/**
 * Draws a location as SVG, north up: the circle in which the watch is expected, on a grid with a scale bar. Without
 * streets, because these would come from another server, which would learn the location.
 * @param radius - accuracy radius in metres
 */
export function drawLocation(radius: number): string {
  const metresPerUnit = Math.max(radius, MIN_RADIUS_METRES) / CIRCLE;
  const barMetres = roundLength(MAX_BAR * metresPerUnit);
  const bar = Math.round(barMetres / metresPerUnit);
  const lines = [
    ...linesAround(CENTER.x, WIDTH, bar).map((x) => `M${x} 0V${HEIGHT}`),
    ...linesAround(CENTER.y, HEIGHT, bar).map((y) => `M0 ${y}H${WIDTH}`),
  ].join('');
  const label = `The watch is within ${radius} m of the point in the middle. North is up.`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
<path class="grid" d="${lines}"/>
<circle class="area" cx="${CENTER.x}" cy="${CENTER.y}" r="${Math.max(1, Math.round(radius / metresPerUnit))}"/>
<circle class="dot" cx="${CENTER.x}" cy="${CENTER.y}" r="6"/>
<path class="ink" d="M16 218v6h${bar}v-6M300 44l-7 0 7-20 7 20z"/>
<text x="16" y="212">${barMetres < 1_000 ? `${barMetres} m` : `${barMetres / 1_000} km`}</text>
<text x="300" y="18" text-anchor="middle">N</text>
</svg>`;
}

/** Returns the largest length of 1, 2 or 5 times a power of ten that is not longer. */
function roundLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  return ([5, 2].find((factor) => factor * power <= metres) ?? 1) * power;
}

/** Returns the coordinates of the lines of a grid through the middle. */
function linesAround(middle: number, size: number, distance: number): number[] {
  const first = middle % distance;
  return Array.from({ length: Math.ceil((size - first) / distance) }, (_, index) => first + index * distance);
}
