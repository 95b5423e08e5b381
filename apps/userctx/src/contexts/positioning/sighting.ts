import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import type { Sighting } from './network-state.js';
import { signalWeight } from './network-kinds.js';
import type { LatLng } from './plane.js';

/** Maximum accuracy radius of a fix that has full weight, metres. */
const GOOD_RADIUS_METRES = 20;

/** Converts an observation at a place to a sighting. `radius`: accuracy radius of the place in metres. */
export function toSighting(
  { latitude, longitude }: LatLng,
  observed: { kind: NetworkKind; signalStrength: number | null; radius: number },
): Sighting {
  const certainty = Math.min(1, (GOOD_RADIUS_METRES / Math.max(1, observed.radius)) ** 2);
  return { point: { latitude, longitude }, weight: signalWeight(observed.kind, observed.signalStrength) * certainty };
}
