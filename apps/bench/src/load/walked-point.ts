import { POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';

/** Start of every walk; the seeded fences are around it. */
export const HOME = { latitude: 31.2304, longitude: 121.4737 } as const;
/** Step length in degrees of latitude, about six metres. */
const STEP_DEGREES = 0.00005;
/** Steps before a walk turns back. A walk goes back and forth, so that fences are left and entered repeatedly. */
const STEPS_PER_LEG = 200;

/** Steps of one round trip. */
export const STEPS_PER_WALK = 2 * STEPS_PER_LEG;

/** Returns the location after `steps` steps of repeated round trips from `HOME`. */
export function walkedPoint(steps: number, positionTime: number): Location {
  const step = steps % STEPS_PER_WALK;
  const distance = (step <= STEPS_PER_LEG ? step : STEPS_PER_WALK - step) * STEP_DEGREES;
  return {
    latitude: (HOME.latitude + distance).toFixed(6),
    longitude: HOME.longitude.toFixed(6),
    positionTime,
    radius: 10,
    pointType: POINT_TYPE.GPS,
  };
}
