import { NETWORK_KIND } from '@family-watch/domain/positioning/contracts/radio-network';
import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';

/** What is true of every network of a kind. Metres. */
export interface NetworkKindParameters {
  /** Who hears it further away from where it was heard before hears a network that has moved. */
  reach: number;
  /** How far from its middle it is typically heard: what counts until it has been heard often. */
  typicalSpread: number;
  /** No circle is smaller. */
  minRadius: number;
}

export const NETWORK_KIND_PARAMETERS: Readonly<Record<NetworkKind, NetworkKindParameters>> = {
  [NETWORK_KIND.WIFI]: { reach: 1_000, typicalSpread: 70, minRadius: 20 },
  // Cells of GSM reach 35 km, and are heard again where the ground is high.
  [NETWORK_KIND.CELL]: { reach: 50_000, typicalSpread: 1_500, minRadius: 1_000 },
  [NETWORK_KIND.AREA]: { reach: 300_000, typicalSpread: 15_000, minRadius: 10_000 },
};

/** dBm: at this strength and above, a signal counts in full; each 20 below, a tenth of it. */
const STRONG_SIGNAL = -50;
const SIGNAL_DECADE = 20;
const MIN_SIGNAL_WEIGHT = 0.02;
/** dBm: taken for one that was not said. */
const UNKNOWN_SIGNAL = -85;

/**
 * How much a network's being heard at this strength says about the distance to it, from 0.02 to 1: a little more
 * than one over the distance, by the way radio fades among houses. The strength of a cell says little: its distance is lost in hills.
 */
export function signalWeight(kind: NetworkKind, signalStrength: number | null): number {
  if (kind !== NETWORK_KIND.WIFI) return 1;
  const weight = 10 ** (((signalStrength ?? UNKNOWN_SIGNAL) - STRONG_SIGNAL) / SIGNAL_DECADE);
  return Math.min(1, Math.max(MIN_SIGNAL_WEIGHT, weight));
}
