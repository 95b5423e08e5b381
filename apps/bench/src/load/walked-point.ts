import { POINT_TYPE } from '@family-watch/domain/locations/contracts/location';
import type { Location } from '@family-watch/domain/locations/contracts/location';

/** Where every walk starts; fences are laid around it. */
export const HOME = { latitude: 31.2304, longitude: 121.4737 } as const;
/** Degrees of latitude: about six metres. */
const STEP = 0.00005;
/** Steps out before a walk turns back: fences are left and entered again. */
const LEG = 200;

/** Steps until a walk begins anew. */
export const WALK = 2 * LEG;

/** The point after so many steps of a walk from home and back, over and over. */
export function walkedPoint(steps: number, positionTime: number): Location {
  const turn = steps % WALK;
  const away = (turn <= LEG ? turn : WALK - turn) * STEP;
  return {
    latitude: (HOME.latitude + away).toFixed(6),
    longitude: HOME.longitude.toFixed(6),
    positionTime,
    radius: 10,
    pointType: POINT_TYPE.GPS,
  };
}
