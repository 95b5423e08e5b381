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
   * Whether a second watch observed the network, or one watch observed it on a second day. Only confirmed
   * networks are used to locate devices.
   */
  isConfirmed: boolean;
  /**
   * Pseudonyms of the observers; empty once the network is confirmed. `NetworkKeys` explains why a pseudonym cannot be
   * resolved to a watch after its day.
   */
  observerTags: number[];
  /** Number of sightings out of reach. Each sighting within reach reduces the number by one. */
  outOfReachCount: number;
  /** How many times the network has moved. */
  moveCount: number;
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
  observerTag: number;
  now: number;
}

const MIN_OBSERVERS = 2;
/** After this many sightings out of reach, the network counts as moved. */
const OUT_OF_REACH_UNTIL_MOVED = 3;
/** Maximum weight of all sightings together. Above this weight, old sightings lose weight. */
const MAX_WEIGHT = 200;
/**
 * Milliseconds for which the service ignores a network after the network's first move: 48 hours. Every further move
 * doubles the duration.
 */
const FIRST_BLOCK_MS = 48 * 3_600_000;
const MAX_BLOCK_DOUBLINGS = 6;

export function emptyNetworkState(kind: NetworkKind): NetworkState {
  return {
    kind,
    distribution: null,
    isConfirmed: false,
    observerTags: [],
    outOfReachCount: 0,
    moveCount: 0,
    blockedUntil: null,
  };
}

/** Returns the network after the sightings of one report, which are in time order. */
export function addSightings(
  before: NetworkState,
  sightings: readonly Sighting[],
  { observerTag, now }: SightingReport,
): NetworkState {
  if (before.blockedUntil !== null && before.blockedUntil > now) return before;
  let network: NetworkState = { ...before, blockedUntil: null };
  for (const sighting of sightings) {
    network =
      network.distribution && isOutOfReach(network, sighting)
        ? countOutOfReach(network)
        : applySighting(network, sighting);
    if (network.outOfReachCount >= OUT_OF_REACH_UNTIL_MOVED) return resetAndBlock(network, now);
  }
  return network.distribution === before.distribution ? network : addObserver(network, observerTag);
}

function isOutOfReach({ kind, distribution }: NetworkState, { point }: Sighting): boolean {
  return (
    distribution !== null &&
    offsetLength(offsetBetween(distribution, point)) > NETWORK_KIND_PARAMETERS[kind].reachMetres
  );
}

function countOutOfReach(network: NetworkState): NetworkState {
  return { ...network, outOfReachCount: network.outOfReachCount + 1 };
}

function applySighting(network: NetworkState, { point, weight }: Sighting): NetworkState {
  const here = singlePointDistribution(point, weight);
  const distribution = network.distribution
    ? capWeight(mergeDistributions(network.distribution, here), MAX_WEIGHT)
    : here;
  return { ...network, distribution, outOfReachCount: Math.max(0, network.outOfReachCount - 1) };
}

/** Resets and blocks a network that has moved: the old location is useless, and new sightings may be useless too. */
function resetAndBlock({ kind, moveCount }: NetworkState, now: number): NetworkState {
  const blockedUntil = now + FIRST_BLOCK_MS * 2 ** Math.min(moveCount, MAX_BLOCK_DOUBLINGS);
  return { ...emptyNetworkState(kind), moveCount: moveCount + 1, blockedUntil };
}

function addObserver(network: NetworkState, observerTag: number): NetworkState {
  if (network.isConfirmed) return network;
  const observerTags = [...new Set([...network.observerTags, observerTag])];
  return observerTags.length < MIN_OBSERVERS
    ? { ...network, observerTags }
    : { ...network, observerTags: [], isConfirmed: true };
}
