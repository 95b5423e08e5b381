import type { GpxTrackPoint } from './gpx.js';

const LAKE = { latitude: 30.2468, longitude: 120.1445 };
const POINTS = 120;
const SECONDS_APART = 10;
/** Degrees; about 500 and 530 metres. */
const [NORTHWARD, EASTWARD] = [0.0045, 0.0055];

/** Twenty minutes along the shore of a lake, from home in the east to school in the west: for those who bring no track. */
export function defaultRoute(): GpxTrackPoint[][] {
  const segment = Array.from({ length: POINTS }, (_, index): GpxTrackPoint => {
    const angle = (Math.PI * index) / (POINTS - 1);
    const shore = 1 - 0.06 * Math.sin(angle) * (1 + Math.sin(7 * angle));
    return {
      latitude: LAKE.latitude + NORTHWARD * shore * Math.sin(angle),
      longitude: LAKE.longitude + EASTWARD * shore * Math.cos(angle),
      time: index * SECONDS_APART * 1_000,
    };
  });
  return [segment];
}
