import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { NearestTown } from './town-index.js';

export type Place = Pick<Location, 'latitude' | 'longitude'>;

/** Says in or near which town a place is. GEOCODER chooses the implementation. */
export abstract class Geocoder {
  /** Returns null if no town is near, or no answer arrives in time. Never rejects. */
  abstract findTown(place: Place): Promise<NearestTown | null>;

  /** Ends what the geocoder has started. */
  abstract stop(): void;
}
