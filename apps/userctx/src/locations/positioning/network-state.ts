import type { NetworkKind } from '@family-watch/domain/locations/contracts/radio-network';
import { NETWORK_KIND_PARAMETERS, signalWeight } from './network-kinds.js';
import {
  capWeight,
  singlePointDistribution,
  mergeDistributions,
  offsetLength,
  offsetBetween,
  type LocationDistribution,
  type LatLng,
} from './offsets.js';

const DAY_MS = 86_400_000;

/** Returns the days since 1970 in UTC, the finest resolution in which times of observations are stored. */
export function utcDayOf(time: number): number {
  return Math.floor(time / DAY_MS);
}

/**
 * The stored state of a network. The state identifies no families and contains no time finer than a day. Families are
 * counted once per day, because their tags of different days cannot be linked (`NetworkKeys`).
 */
export interface NetworkState {
  kind: NetworkKind;
  /** Where the network was observed; `null` before the first sighting and while the network is blocked. */
  distribution: LocationDistribution | null;
  /** Whether `support` is at least two. Only confirmed networks are used to locate devices. */
  isConfirmed: boolean;
  /** Number of reports within reach, at most one per family and day. */
  support: number;
  /** The families that observed the network within reach on the day `lastReportedOn`. */
  observers: DailyObserver[];
  /** Tags of the families that observed the network out of reach on the day `lastReportedOn`. */
  contradictionTags: number[];
  /** Number of earlier days with contradictions since the last day with a report within reach. */
  contradictedDays: number;
  /** Day of the last report; days since 1970 in UTC. */
  lastReportedOn: number;
  /** How many times the network has moved. */
  moveCount: number;
  /** Unix milliseconds; sightings before this time are ignored. */
  blockedUntil: number | null;
}

/**
 * A family that observed a network on one day. `tag` identifies the family on this day only; `weight` is the weight of
 * the family's sightings of this day in the distribution.
 */
export interface DailyObserver {
  tag: number;
  weight: number;
}

/** An observation of a network at a place. */
export interface Sighting {
  point: LatLng;
  /** From 0 to 1. An inaccurate place or a weak signal reduces the weight. */
  weight: number;
}

/** Who reported sightings and when. */
export interface SightingReport {
  /** Identifies the reporting family on the day of the report only. */
  observerTag: number;
  /** Time of receipt, Unix milliseconds. */
  now: number;
}

/** Value of the counter `support` from which a network is confirmed. */
const SUPPORT_UNTIL_CONFIRMED = 2;
/** Maximum value of the counter `support`. Counting beyond the maximum would have no effect. */
const MAX_SUPPORT = 1_000;
/** Maximum number of families per day whose sightings are used. The maximum limits the size of a table row. */
const MAX_OBSERVERS_PER_DAY = 32;
/**
 * Maximum number of families per day whose contradictions are used. With at most half as many contradictions as
 * observers, families that first fill the list of observers and later contradict cannot outnumber families that are not
 * in the list: at least half of the list remains.
 */
const MAX_CONTRADICTIONS_PER_DAY = MAX_OBSERVERS_PER_DAY / 2;
/**
 * Maximum weight of all sightings together, as a multiple of the maximum weight of one family on one day. Above the
 * maximum, old sightings lose weight. Once the maximum is reached, one family can shift the mean by at most 1/41 of the
 * reach per day.
 */
const MAX_TOTAL_WEIGHT_FACTOR = 40;

/**
 * Minimum number of families that observe a confirmed network out of reach on one day until the network counts as
 * moved. These families must also outnumber the families that observe the network within reach.
 */
const CONTRADICTING_FAMILIES_UNTIL_MOVED = 3;
/**
 * Number of days on which a confirmed network is observed out of reach, without any observation within reach, until the
 * network counts as moved. A day counts if at least one family observes the network out of reach.
 */
const CONTRADICTED_DAYS_UNTIL_MOVED = 14;
/**
 * Milliseconds for which the service ignores a network after the network's first move: 48 hours. Every further move
 * doubles the time for which the network is ignored.
 */
const FIRST_BLOCK_MS = 48 * 3_600_000;
const MAX_BLOCK_DOUBLINGS = 6;

export function emptyNetworkState(kind: NetworkKind, lastReportedOn: number): NetworkState {
  return {
    kind,
    distribution: null,
    isConfirmed: false,
    support: 0,
    observers: [],
    contradictionTags: [],
    contradictedDays: 0,
    lastReportedOn,
    moveCount: 0,
    blockedUntil: null,
  };
}

/**
 * Returns the network after one report. A report with a sighting out of reach is a contradiction and changes no
 * distribution. After a contradiction, further reports of the family are ignored until the end of the day. Whether
 * contradictions delete a confirmed network is decided by the first report of a later day.
 */
export function addSightings(
  before: NetworkState,
  sightings: readonly Sighting[],
  { observerTag, now }: SightingReport,
): NetworkState {
  const network = startDay(before, now);
  const isBlocked = network.blockedUntil !== null && network.blockedUntil > now;
  const [first] = sightings;
  if (isBlocked || !first || network.contradictionTags.includes(observerTag)) return network;
  const center = network.distribution ?? first.point;
  const isContradiction = sightings.some(({ point }) => isOutOfReach(network.kind, center, point));
  const add = isContradiction ? addContradiction : addObservation;
  return add({ ...network, blockedUntil: null }, sightings, { observerTag, now });
}

/**
 * If `now` is on a later day than the last report, decides whether the network has moved and discards the families of
 * the earlier day. The decision is made after the end of a day, because the first reports of a day could otherwise
 * contradict the network before other families have reported it.
 */
function startDay(network: NetworkState, now: number): NetworkState {
  const day = utcDayOf(now);
  // A replica whose clock is behind must not discard the families that reported the network on the new day.
  if (day <= network.lastReportedOn) return network;
  const { kind, isConfirmed, moveCount } = network;
  const contradictedDays = countContradictedDays(network);
  if (isConfirmed && (isOutnumbered(network) || contradictedDays >= CONTRADICTED_DAYS_UNTIL_MOVED)) {
    const blockedUntil = now + blockDurationMs(moveCount);
    return { ...emptyNetworkState(kind, day), moveCount: moveCount + 1, blockedUntil };
  }
  return { ...network, observers: [], contradictionTags: [], contradictedDays, lastReportedOn: day };
}

/** Returns `contradictedDays` including the day `lastReportedOn`. */
function countContradictedDays({ support, observers, contradictionTags, contradictedDays }: NetworkState): number {
  if (observers.length > 0) return 0;
  return support > 0 && contradictionTags.length > 0 ? contradictedDays + 1 : contradictedDays;
}

/** Returns whether enough families contradicted the network on the day `lastReportedOn`. */
function isOutnumbered({ observers, contradictionTags }: NetworkState): boolean {
  return contradictionTags.length >= CONTRADICTING_FAMILIES_UNTIL_MOVED && contradictionTags.length > observers.length;
}

function isOutOfReach(kind: NetworkKind, center: LatLng, point: LatLng): boolean {
  return offsetLength(offsetBetween(center, point)) > NETWORK_KIND_PARAMETERS[kind].reachMetres;
}

function addContradiction(
  before: NetworkState,
  sightings: readonly Sighting[],
  { observerTag, now }: SightingReport,
): NetworkState {
  if (before.contradictionTags.length >= MAX_CONTRADICTIONS_PER_DAY) return before;
  const contradictionTags = [...before.contradictionTags, observerTag];
  const network = withdrawObservation({ ...before, contradictionTags }, observerTag);
  const { kind, support, contradictedDays, lastReportedOn, moveCount } = network;
  const empty = { ...emptyNetworkState(kind, lastReportedOn), moveCount };
  if (support === 0) return { ...empty, contradictionTags };
  if (network.isConfirmed || contradictionTags.length + contradictedDays <= support) return network;
  // More reports contradict than support the unconfirmed network, so the current report becomes its first report.
  return addSightings(empty, sightings, { observerTag, now });
}

/**
 * Withdraws the support that a family added on this day, because the same family has now observed the network out of
 * reach.
 */
function withdrawObservation(network: NetworkState, observerTag: number): NetworkState {
  const observers = network.observers.filter(({ tag }) => tag !== observerTag);
  if (observers.length === network.observers.length) return network;
  return withSupport({ ...network, observers }, network.support - 1);
}

function addObservation(
  network: NetworkState,
  sightings: readonly Sighting[],
  { observerTag }: SightingReport,
): NetworkState {
  const existing = network.observers.find(({ tag }) => tag === observerTag);
  if (existing) return addToDistribution(network, sightings, existing);
  if (network.observers.length >= MAX_OBSERVERS_PER_DAY) return network;
  const observer: DailyObserver = { tag: observerTag, weight: 0 };
  const supported = withSupport({ ...network, observers: [...network.observers, observer] }, network.support + 1);
  return addToDistribution(supported, sightings, observer);
}

function withSupport(network: NetworkState, support: number): NetworkState {
  return { ...network, support: Math.min(support, MAX_SUPPORT), isConfirmed: support >= SUPPORT_UNTIL_CONFIRMED };
}

/** Merges the sightings into the distribution, with at most the weight that the family has left on this day. */
function addToDistribution(
  network: NetworkState,
  sightings: readonly Sighting[],
  observer: DailyObserver,
): NetworkState {
  const reported = mergeAll(sightings.map(({ point, weight }) => singlePointDistribution(point, weight)));
  const { maxFamilyWeightPerDay } = NETWORK_KIND_PARAMETERS[network.kind];
  const remaining = maxFamilyWeightPerDay - observer.weight;
  if (!reported || remaining <= 0) return network;
  const added = capWeight(reported, remaining);
  const merged = network.distribution ? mergeDistributions(network.distribution, added) : added;
  const updated = { ...observer, weight: observer.weight + added.weight };
  return {
    ...network,
    distribution: capWeight(merged, MAX_TOTAL_WEIGHT_FACTOR * maxFamilyWeightPerDay),
    observers: network.observers.map((current) => (current.tag === observer.tag ? updated : current)),
  };
}

function mergeAll(distributions: readonly LocationDistribution[]): LocationDistribution | null {
  const [first, ...others] = distributions;
  return first ? others.reduce(mergeDistributions, first) : null;
}

/**
 * Returns for how many milliseconds a network that has moved is ignored. A network that moves often, such as an access
 * point in a bus, is ignored for longer.
 */
function blockDurationMs(moveCount: number): number {
  return FIRST_BLOCK_MS * 2 ** Math.min(moveCount, MAX_BLOCK_DOUBLINGS);
}

/** Maximum accuracy radius at which a place has full weight, metres. */
const GOOD_RADIUS_METRES = 20;

/** Converts an observation at a place to a sighting. `radius`: accuracy radius of the place in metres. */
export function toSighting(
  { latitude, longitude }: LatLng,
  observed: { kind: NetworkKind; signalStrength: number | null; radius: number },
): Sighting {
  const certainty = Math.min(1, (GOOD_RADIUS_METRES / Math.max(1, observed.radius)) ** 2);
  return { point: { latitude, longitude }, weight: signalWeight(observed.kind, observed.signalStrength) * certainty };
}
