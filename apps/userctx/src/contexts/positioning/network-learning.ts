import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import { capWeight, singlePointDistribution, mergeDistributions } from './location-distribution.js';
import type { LocationDistribution } from './location-distribution.js';
import { NETWORK_KIND_PARAMETERS } from './network-kinds.js';
import { offsetLength, offsetBetween } from './plane.js';
import type { LatLng } from './plane.js';

/** The stored state of a network. The state identifies no observers and contains no time finer than a day. */
export interface NetworkState {
  kind: NetworkKind;
  /** Where the network was observed; `null` before the first sighting and while the network is blocked. */
  distribution: LocationDistribution | null;
  /**
   * Whether a second watch observed the network, or one watch observed it on a second day. Only learned networks are
   * used to locate devices.
   */
  learned: boolean;
  /**
   * Pseudonyms of observers until the network is learned. After their day they cannot be resolved to watches (see
   * `NetworkKeys`).
   */
  witnesses: number[];
  /** Number of sightings out of reach. Each sighting within reach reduces the number by one. */
  strays: number;
  /** How many times the network has moved. */
  moves: number;
  /** Unix milliseconds; sightings before this time are ignored. */
  blockedUntil: number | null;
}

/** An observation of a network at a place. `weight`: 0 to 1. */
export interface Sighting {
  point: LatLng;
  weight: number;
}

/** The observer's pseudonym and the time of receipt (Unix milliseconds). */
export interface SightingReport {
  witness: number;
  now: number;
}

const MIN_WITNESSES = 2;
/** After this many sightings out of reach, the network counts as moved. */
const STRAYS_UNTIL_MOVED = 3;
/** Maximum weight of all sightings together. Above this weight, old sightings lose weight. */
const MAX_WEIGHT = 200;
/** Duration of the first block: 48 hours in milliseconds. Every further move doubles the duration. */
const FIRST_BLOCK_MS = 48 * 3_600_000;
const MAX_BLOCK_DOUBLINGS = 6;

export function emptyNetworkState(kind: NetworkKind): NetworkState {
  return { kind, distribution: null, learned: false, witnesses: [], strays: 0, moves: 0, blockedUntil: null };
}

/** Returns the network after the sightings of one report, which are in time order. */
export function learnNetwork(
  before: NetworkState,
  sightings: readonly Sighting[],
  { witness, now }: SightingReport,
): NetworkState {
  if (before.blockedUntil !== null && before.blockedUntil > now) return before;
  let network: NetworkState = { ...before, blockedUntil: null };
  for (const sighting of sightings) {
    network =
      network.distribution && isOutOfReach(network, sighting) ? countStray(network) : addSighting(network, sighting);
    if (network.strays >= STRAYS_UNTIL_MOVED) return resetAndBlock(network, now);
  }
  return network.distribution === before.distribution ? network : addWitness(network, witness);
}

function isOutOfReach({ kind, distribution }: NetworkState, { point }: Sighting): boolean {
  return (
    distribution !== null && offsetLength(offsetBetween(distribution, point)) > NETWORK_KIND_PARAMETERS[kind].reach
  );
}

function countStray(network: NetworkState): NetworkState {
  return { ...network, strays: network.strays + 1 };
}

function addSighting(network: NetworkState, { point, weight }: Sighting): NetworkState {
  const here = singlePointDistribution(point, weight);
  const distribution = network.distribution
    ? capWeight(mergeDistributions(network.distribution, here), MAX_WEIGHT)
    : here;
  return { ...network, distribution, strays: Math.max(0, network.strays - 1) };
}

/** Resets and blocks a network that has moved: the old location is useless, and new sightings may be useless too. */
function resetAndBlock({ kind, moves }: NetworkState, now: number): NetworkState {
  const blockedUntil = now + FIRST_BLOCK_MS * 2 ** Math.min(moves, MAX_BLOCK_DOUBLINGS);
  return { ...emptyNetworkState(kind), moves: moves + 1, blockedUntil };
}

function addWitness(network: NetworkState, witness: number): NetworkState {
  if (network.learned) return network;
  const witnesses = [...new Set([...network.witnesses, witness])];
  return witnesses.length < MIN_WITNESSES ? { ...network, witnesses } : { ...network, witnesses: [], learned: true };
}
