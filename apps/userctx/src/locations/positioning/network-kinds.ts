import { NETWORK_KIND, type NetworkKind } from '@family-watch/domain/locations/contracts/radio-network';

/** Properties of all networks of a kind. */
export interface NetworkKindParameters {
  /**
   * Maximum distance of an observation from the mean of the earlier observations. An observation further away suggests
   * that the network has moved.
   */
  reachMetres: number;
  /**
   * Typical root mean square distance of observations from their mean. The value matters most while there are few
   * sightings.
   */
  typicalSpreadMetres: number;
  /** Minimum radius of an estimated location. */
  minRadiusMetres: number;
  /**
   * Maximum weight of the sightings of one family on one day, so that one family cannot outweigh all others. The limit
   * of a cell is higher, because a cell is large: with a low limit, only the first sightings of a watch that crosses
   * the cell would count.
   */
  maxFamilyWeightPerDay: number;
}

export const NETWORK_KIND_PARAMETERS: Readonly<Record<NetworkKind, NetworkKindParameters>> = {
  [NETWORK_KIND.WIFI]: { reachMetres: 1_000, typicalSpreadMetres: 70, minRadiusMetres: 20, maxFamilyWeightPerDay: 5 },
  // GSM cells reach 35 km, and further on high ground.
  [NETWORK_KIND.CELL]: {
    reachMetres: 50_000,
    typicalSpreadMetres: 1_500,
    minRadiusMetres: 1_000,
    maxFamilyWeightPerDay: 50,
  },
  [NETWORK_KIND.AREA]: {
    reachMetres: 300_000,
    typicalSpreadMetres: 15_000,
    minRadiusMetres: 10_000,
    maxFamilyWeightPerDay: 50,
  },
};

/**
 * Minimum strength of a signal that has full weight. Each {@link SIGNAL_DB_PER_DECADE} below the minimum reduces the
 * weight to a tenth.
 */
const STRONG_SIGNAL_DBM = -50;
const SIGNAL_DB_PER_DECADE = 20;
const MIN_SIGNAL_WEIGHT = 0.02;
/** Signal strength that is assumed if none was reported. */
const UNKNOWN_SIGNAL_DBM = -85;

/**
 * Returns how much an observation at this signal strength indicates proximity, from 0.02 to 1. The weight of an access
 * point falls slightly faster than the inverse of the distance, because radio signals fade between buildings. The
 * weight of a cell is always 1, because terrain dominates the signal strength of cells.
 */
export function signalWeight(kind: NetworkKind, signalStrength: number | null): number {
  if (kind !== NETWORK_KIND.WIFI) return 1;
  const weight = 10 ** (((signalStrength ?? UNKNOWN_SIGNAL_DBM) - STRONG_SIGNAL_DBM) / SIGNAL_DB_PER_DECADE);
  return Math.min(1, Math.max(MIN_SIGNAL_WEIGHT, weight));
}
