import { NETWORK_KIND, type NetworkKind } from '@family-watch/domain/locations/contracts/radio-network';
import { NETWORK_KIND_PARAMETERS, signalWeight } from './network-kinds.js';
import { offsetLength, offsetBetween, translate, type LatLng, type LocationDistribution } from './offsets.js';

/**
 * Partitions the points into clusters in which no two points are further apart than the diameter. Complete linkage:
 * repeatedly merges the two closest clusters whose union fits into the diameter.
 *
 * @param diameter metres
 */
export function clustersWithin<Item extends LatLng>(points: readonly Item[], diameter: number): Item[][] {
  const distances = points.map((one) => points.map((other) => offsetLength(offsetBetween(one, other))));
  // Fast path with the same result as merging: usually all points fit into one cluster.
  if (points.length > 0 && distances.flat().every((distance) => distance <= diameter)) return [[...points]];
  let clusters = points.map((_, index) => [index]);
  for (;;) {
    const pair = closestPair(clusters, (one, other) => maxDistance(distances, one, other));
    if (!pair || pair.distance > diameter) break;
    const { one, other } = pair;
    clusters = [...clusters.filter((cluster) => cluster !== one && cluster !== other), [...one, ...other]];
  }
  return clusters.map((cluster) => points.filter((_, index) => cluster.includes(index)));
}

function closestPair(
  clusters: readonly number[][],
  distanceOf: (one: number[], other: number[]) => number,
): { one: number[]; other: number[]; distance: number } | undefined {
  let closest: { one: number[]; other: number[]; distance: number } | undefined;
  clusters.forEach((one, index) => {
    for (const other of clusters.slice(index + 1)) {
      const distance = distanceOf(one, other);
      if (!closest || distance < closest.distance) closest = { one, other, distance };
    }
  });
  return closest;
}

function maxDistance(distances: readonly number[][], one: readonly number[], other: readonly number[]): number {
  return Math.max(...one.flatMap((from) => other.map((to) => distances[from]?.[to] ?? Infinity)));
}

/** A confirmed network that the device observes now. */
export interface LocatingNetwork extends LocationDistribution {
  kind: NetworkKind;
  /** dBm */
  signalStrength: number | null;
}

/** A circle that contains the true location in at least nine of ten cases. The radius is in metres. */
export interface AccuracyCircle extends LatLng {
  radius: number;
}

/**
 * Metres. Maximum distance between access points that are observed at one place. If access points are further apart,
 * some of them have moved.
 */
const CLUSTER_DIAMETER_METRES = 500;
/** With a single access point, anyone who knows its MAC address could look up its location. */
const MIN_ACCESS_POINTS = 2;
/** Weight of the typical spread of a kind of network in {@link squaredSpread}, as a number of sightings. */
const TYPICAL_SPREAD_WEIGHT = 1;
/**
 * Factor from the root mean square error to the radius that contains nine of ten locations, for a normal distribution:
 * √ln 10.
 */
const RMS_ERROR_TO_90_PERCENT_RADIUS = 1.52;
/**
 * Increases the squared error when few access points are observed, because one access point that has moved then has
 * more effect. With two access points the squared error is multiplied by 1 + 4 / 2 = 3.
 */
const FEW_ACCESS_POINTS_FACTOR = 4;
/** Metres. Maximum distance between the circle of the access points and the circle of the cells. */
const CELL_TOLERANCE_METRES = 10_000;
/** The squared error is at least this fraction of the networks' squared spread, see {@link toCircle}. */
const MIN_ERROR_FRACTION = 0.5;

/**
 * Estimates the location of a device that observes these networks. Uses access points, otherwise cells, otherwise the
 * location areas (LAC, TAC) of the cells. Access points that agree with each other but are too far from the cells are
 * ignored, because they have moved together. Returns `null` if no estimate is possible.
 */
export function estimateLocation(
  networks: readonly LocatingNetwork[],
): (AccuracyCircle & { kind: NetworkKind }) | null {
  const circles = new Map(Object.values(NETWORK_KIND).map((kind) => [kind, estimateByKind(kind, networks)]));
  const [wifi, cell] = [circles.get(NETWORK_KIND.WIFI), circles.get(NETWORK_KIND.CELL)];
  if (wifi && cell && isTooFarFromCells(wifi, cell)) return { ...cell, kind: NETWORK_KIND.CELL };
  for (const [kind, circle] of circles) if (circle) return { ...circle, kind };
  return null;
}

function isTooFarFromCells(wifi: AccuracyCircle, cell: AccuracyCircle): boolean {
  return offsetLength(offsetBetween(wifi, cell)) > wifi.radius + cell.radius + CELL_TOLERANCE_METRES;
}

function estimateByKind(kind: NetworkKind, networks: readonly LocatingNetwork[]): AccuracyCircle | null {
  const sameKind = networks.filter((network) => network.kind === kind);
  if (kind === NETWORK_KIND.WIFI) {
    const cluster = largestCluster(clustersWithin(sameKind, CLUSTER_DIAMETER_METRES));
    return cluster.length < MIN_ACCESS_POINTS ? null : toCircle(kind, cluster);
  }
  return sameKind.length === 0
    ? null
    : toCircle(kind, largestCluster(clustersWithin(sameKind, NETWORK_KIND_PARAMETERS[kind].reachMetres)));
}

/**
 * Returns a circle around the weighted mean of the networks' locations. The expected squared error of the centre is the
 * weighted mean of the networks' squared spreads less the squared spread of their locations (Steiner's theorem). The
 * subtracted spread of the locations is limited, because it is not exact.
 */
function toCircle(kind: NetworkKind, networks: readonly LocatingNetwork[]): AccuracyCircle {
  const weights = networks.map((network) => signalWeight(kind, network.signalStrength));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = (value: (network: LocatingNetwork) => number) =>
    networks.reduce((sum, network, index) => sum + ((weights[index] ?? 0) / total) * value(network), 0);
  const [origin] = networks;
  if (!origin) throw new Error('A circle requires at least one network');
  const center = translate(origin, {
    east: mean((network) => offsetBetween(origin, network).east),
    north: mean((network) => offsetBetween(origin, network).north),
  });
  const spread = mean((network) => squaredSpread(kind, network));
  const separation = mean((network) => offsetLength(offsetBetween(center, network)) ** 2);
  const squaredError =
    Math.max(spread - separation, spread * MIN_ERROR_FRACTION) * fewNetworksFactor(kind, networks.length);
  return {
    ...center,
    radius: Math.max(
      NETWORK_KIND_PARAMETERS[kind].minRadiusMetres,
      RMS_ERROR_TO_90_PERCENT_RADIUS * Math.sqrt(squaredError),
    ),
  };
}

function fewNetworksFactor(kind: NetworkKind, count: number): number {
  return kind === NETWORK_KIND.WIFI ? 1 + FEW_ACCESS_POINTS_FACTOR / count : 1;
}

/**
 * Returns the expected squared distance of a network's observations from their mean, in square metres. The typical
 * spread of the kind of network is included, because few sightings underestimate the range of a network.
 */
function squaredSpread(kind: NetworkKind, { squaredDistanceSum, weight }: LocationDistribution): number {
  return (
    (squaredDistanceSum + TYPICAL_SPREAD_WEIGHT * NETWORK_KIND_PARAMETERS[kind].typicalSpreadMetres ** 2) /
    (weight + TYPICAL_SPREAD_WEIGHT)
  );
}

/** Returns the cluster with the most networks. Of several such clusters, returns the one with the strongest signals. */
function largestCluster(clusters: readonly LocatingNetwork[][]): LocatingNetwork[] {
  const strength = (cluster: LocatingNetwork[]) =>
    cluster.reduce((sum, { kind, signalStrength }) => sum + signalWeight(kind, signalStrength), 0);
  const ordered = clusters.toSorted((a, b) => b.length - a.length || strength(b) - strength(a));
  return ordered[0] ?? [];
}
