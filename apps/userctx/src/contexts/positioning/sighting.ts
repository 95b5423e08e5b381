import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import type { Sighting } from './network-learning.js';
import { signalWeight } from './network-kinds.js';
import type { LatLng } from './plane.js';

/** Metres: a better fix counts no more than this one. */
const GOOD_RADIUS = 20;

/** What it says of a network that it was heard at a place which is known this well. `radius`: metres. */
export function toSighting(
  { latitude, longitude }: LatLng,
  heard: { kind: NetworkKind; signalStrength: number | null; radius: number },
): Sighting {
  const certainty = Math.min(1, (GOOD_RADIUS / Math.max(1, heard.radius)) ** 2);
  return { place: { latitude, longitude }, weight: signalWeight(heard.kind, heard.signalStrength) * certainty };
}
