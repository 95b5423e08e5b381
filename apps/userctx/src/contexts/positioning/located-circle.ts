import type { PointType } from '@family-watch/domain/locations/contracts/location';
import type { AccuracyCircle } from './location-estimate.js';

/** A located circle and the source it is based on. */
export interface LocatedCircle extends AccuracyCircle {
  pointType: PointType;
  /** Ichnaea's name of the fallback that was used. */
  fallback?: 'lacf' | 'ipf';
}
