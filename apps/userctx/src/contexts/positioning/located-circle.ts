import type { PointType } from '@family-watch/domain/locations/contracts/location';
import type { AccuracyCircle } from './location-estimate.js';

/** Where somebody is, and by what that is known. */
export interface LocatedCircle extends AccuracyCircle {
  pointType: PointType;
  /** Ichnaea's word for what was fallen back on. */
  fallback?: 'lacf' | 'ipf';
}
