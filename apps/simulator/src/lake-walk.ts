import type { TrackPoint } from './gpx.js';

const CENTRE = { latitude: 30.2468, longitude: 120.1445 };
const POINTS = 120;
const SECONDS_APART = 10;
/** Degrees; about 250 and 200 metres. */
const [NORTHWARD, EASTWARD] = [0.00225, 0.0021];

/** Twenty minutes around a small lake, with a shore that is no circle: a track for those who bring none. */
export function lakeWalk(): TrackPoint[][] {
  const segment = Array.from({ length: POINTS }, (_, index): TrackPoint => {
    const angle = (2 * Math.PI * index) / POINTS;
    const shore = 1 + 0.12 * Math.sin(3 * angle) + 0.05 * Math.cos(7 * angle);
    return {
      latitude: CENTRE.latitude + NORTHWARD * shore * Math.sin(angle),
      longitude: CENTRE.longitude + EASTWARD * shore * Math.cos(angle),
      time: index * SECONDS_APART * 1_000,
    };
  });
  return [segment];
}
