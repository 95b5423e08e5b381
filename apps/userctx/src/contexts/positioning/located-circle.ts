import type { PointType } from '@family-watch/domain/locations/contracts/location';
import type { AccuracyCircle } from './location-estimate.js';

/** The circle in which a device was located, and how its location was determined. */
export interface LocatedCircle extends AccuracyCircle {
  pointType: PointType;
  /** Ichnaea's name of the fallback that was used. */
  fallback?: 'lacf' | 'ipf';
}
