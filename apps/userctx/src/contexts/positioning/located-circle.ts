import type { PointType } from '@family-watch/domain/locations/contracts/location';
import type { Circle } from './position-estimate.js';

/** Where somebody is, and by what that is known. */
export interface LocatedCircle extends Circle {
  pointType: PointType;
  /** Ichnaea's word for what was fallen back on. */
  fallback?: 'lacf' | 'ipf';
}
