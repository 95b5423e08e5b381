import type { GpxTrackPoint } from './gpx.js';

const LAKE_CENTRE = { latitude: 30.2468, longitude: 120.1445 };
const POINT_COUNT = 120;
const INTERVAL_SECONDS = 10;
/** Extent of the route in degrees: about 500 metres north-south and 530 metres east-west. */
const [NORTHWARD, EASTWARD] = [0.0045, 0.0055];

/** Returns a walk of twenty minutes along the shore of a lake, from home in the east to school in the west. */
export function defaultRoute(): GpxTrackPoint[][] {
  const segment = Array.from({ length: POINT_COUNT }, (_, index): GpxTrackPoint => {
    const angle = (Math.PI * index) / (POINT_COUNT - 1);
    const shore = 1 - 0.06 * Math.sin(angle) * (1 + Math.sin(7 * angle));
    return {
      latitude: LAKE_CENTRE.latitude + NORTHWARD * shore * Math.sin(angle),
      longitude: LAKE_CENTRE.longitude + EASTWARD * shore * Math.cos(angle),
      time: index * INTERVAL_SECONDS * 1_000,
    };
  });
  return [segment];
}
