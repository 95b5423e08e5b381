import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import { capWeight, singlePointDistribution, mergeDistributions } from './location-distribution.js';
import type { LocationDistribution } from './location-distribution.js';
import { NETWORK_KIND_PARAMETERS } from './network-kinds.js';
import { offsetLength, offsetBetween } from './plane.js';
import type { LatLng } from './plane.js';

/** What is known of a network. Nothing says who heard it, and no time is finer than a day. */
export interface KnownNetwork {
  kind: NetworkKind;
  /** Where it is heard; `null` before it was, and while it is blocked. */
  distribution: LocationDistribution | null;
  /** Heard by a second watch, or on a second day: only now may it help to locate anybody. */
  learned: boolean;
  /** Until it is learned: who heard it, as numbers that mean nothing after their day (see `Witnesses`). */
  witnesses: number[];
  /** How often it was heard out of reach of its place; forgiven one by one when it is heard there. */
  strays: number;
  /** How often it has moved. */
  moves: number;
  /** Unix milliseconds; nothing is learned of it until then. */
  blockedUntil: number | null;
}

/** That a network was heard at a place. `weight`: 0 to 1. */
export interface Sighting {
  place: LatLng;
  weight: number;
}

/** Who heard it, and when that was received (Unix milliseconds). */
export interface SightingReport {
  witness: number;
  now: number;
}

const WITNESSES_NEEDED = 2;
/** So often out of reach, a network is on the move. */
const STRAYS_ALLOWED = 3;
/** Sightings that count; beyond, the old fade. */
const MAX_WEIGHT = 200;
/** 48 hours. Milliseconds. It doubles with every move. */
const FIRST_BLOCK = 48 * 3_600_000;
const MAX_BLOCK_DOUBLINGS = 6;

export function unknownNetwork(kind: NetworkKind): KnownNetwork {
  return { kind, distribution: null, learned: false, witnesses: [], strays: 0, moves: 0, blockedUntil: null };
}

/** What is known after these sightings of one report, which are in the order of their times. */
export function learnNetwork(
  before: KnownNetwork,
  sightings: readonly Sighting[],
  { witness, now }: SightingReport,
): KnownNetwork {
  if (before.blockedUntil !== null && before.blockedUntil > now) return before;
  let network: KnownNetwork = { ...before, blockedUntil: null };
  for (const sighting of sightings) {
    network = network.distribution && isOutOfReach(network, sighting) ? stray(network) : settle(network, sighting);
    if (network.strays >= STRAYS_ALLOWED) return forget(network, now);
  }
  return network.distribution === before.distribution ? network : witnessed(network, witness);
}

function isOutOfReach({ kind, distribution }: KnownNetwork, { place }: Sighting): boolean {
  return (
    distribution !== null && offsetLength(offsetBetween(distribution, place)) > NETWORK_KIND_PARAMETERS[kind].reach
  );
}

function stray(network: KnownNetwork): KnownNetwork {
  return { ...network, strays: network.strays + 1 };
}

function settle(network: KnownNetwork, { place, weight }: Sighting): KnownNetwork {
  const here = singlePointDistribution(place, weight);
  const distribution = network.distribution
    ? capWeight(mergeDistributions(network.distribution, here), MAX_WEIGHT)
    : here;
  return { ...network, distribution, strays: Math.max(0, network.strays - 1) };
}

/** It has moved, or moves all the time: what was known is worth nothing, and what comes next may not be, either. */
function forget({ kind, moves }: KnownNetwork, now: number): KnownNetwork {
  const blockedUntil = now + FIRST_BLOCK * 2 ** Math.min(moves, MAX_BLOCK_DOUBLINGS);
  return { ...unknownNetwork(kind), moves: moves + 1, blockedUntil };
}

function witnessed(network: KnownNetwork, witness: number): KnownNetwork {
  if (network.learned) return network;
  const witnesses = [...new Set([...network.witnesses, witness])];
  return witnesses.length < WITNESSES_NEEDED ? { ...network, witnesses } : { ...network, witnesses: [], learned: true };
}
