import { NETWORK_KIND } from '@family-watch/domain/positioning/contracts/radio-network';
import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import type { LocationDistribution } from './location-distribution.js';
import { clustersWithin } from './clusters.js';
import { NETWORK_KIND_PARAMETERS, signalWeight } from './network-kinds.js';
import { offsetLength, translate, offsetBetween } from './plane.js';
import type { LatLng } from './plane.js';

/** A learned network that is heard now. */
export interface LocatingNetwork extends LocationDistribution {
  kind: NetworkKind;
  /** dBm */
  signalStrength: number | null;
}

/** A circle that holds the truth at least nine times in ten. Metres. */
export interface AccuracyCircle extends LatLng {
  radius: number;
}

/** Access points further apart than this are not heard at one place: some of them have moved. Metres. */
const CLUSTER_DIAMETER = 500;
/** One would tell whoever knows its address where it stands. */
const MIN_ACCESS_POINTS = 2;
/** As many sightings as what is typical of the kind counts for. */
const PRIOR_WEIGHT = 1;
/** From the mean square to the radius that nine in ten stay within, if they are spread as a bell: √ln 10. */
const NINE_IN_TEN = 1.52;
/** A wrong one among few access points weighs more: with two of them the square of the error is taken threefold. */
const FEW_ACCESS_POINTS = 4;
/** Metres: this far beyond the circle of the cells they may still be heard, and no further. */
const CELL_DOUBT = 10_000;
/** What the networks agree about beyond their own spread is not believed further than this. */
const MAX_AGREEMENT = 0.5;

/**
 * Where somebody is who hears these networks: by access points, unless the cells rule that out because the access
 * points have moved together; else by cells, else by the area of the cells. `null` where nothing says it.
 */
export function estimateLocation(
  networks: readonly LocatingNetwork[],
): (AccuracyCircle & { kind: NetworkKind }) | null {
  const circles = new Map(Object.values(NETWORK_KIND).map((kind) => [kind, estimate(kind, networks)]));
  const [wifi, cell] = [circles.get(NETWORK_KIND.WIFI), circles.get(NETWORK_KIND.CELL)];
  if (wifi && cell && isRuledOut(wifi, cell)) return { ...cell, kind: NETWORK_KIND.CELL };
  for (const [kind, circle] of circles) if (circle) return { ...circle, kind };
  return null;
}

function isRuledOut(wifi: AccuracyCircle, cell: AccuracyCircle): boolean {
  return offsetLength(offsetBetween(wifi, cell)) > wifi.radius + cell.radius + CELL_DOUBT;
}

function estimate(kind: NetworkKind, networks: readonly LocatingNetwork[]): AccuracyCircle | null {
  const own = networks.filter((network) => network.kind === kind);
  if (kind === NETWORK_KIND.WIFI) {
    const cluster = best(clustersWithin(own, CLUSTER_DIAMETER));
    return cluster.length < MIN_ACCESS_POINTS ? null : circleOf(kind, cluster);
  }
  return own.length === 0 ? null : circleOf(kind, best(clustersWithin(own, NETWORK_KIND_PARAMETERS[kind].reach)));
}

/**
 * The weighted mean of where the networks are heard. Who hears a network is spread around its mean as those who heard
 * it before; of the mean of the means, the expected square of the error is the weighted mean of those spreads less
 * the spread of the means among themselves (Steiner's theorem), which is not taken to be exact.
 */
function circleOf(kind: NetworkKind, networks: readonly LocatingNetwork[]): AccuracyCircle {
  const weights = networks.map((network) => signalWeight(kind, network.signalStrength));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = (value: (network: LocatingNetwork) => number) =>
    networks.reduce((sum, network, index) => sum + ((weights[index] ?? 0) / total) * value(network), 0);
  const [origin] = networks;
  if (!origin) throw new Error('A circle needs a network');
  const middle = translate(origin, {
    east: mean((network) => offsetBetween(origin, network).east),
    north: mean((network) => offsetBetween(origin, network).north),
  });
  const spread = mean((network) => squareSpread(kind, network));
  const apart = mean((network) => offsetLength(offsetBetween(middle, network)) ** 2);
  const error = Math.max(spread - apart, spread * MAX_AGREEMENT) * fewness(kind, networks.length);
  return { ...middle, radius: Math.max(NETWORK_KIND_PARAMETERS[kind].minRadius, NINE_IN_TEN * Math.sqrt(error)) };
}

function fewness(kind: NetworkKind, count: number): number {
  return kind === NETWORK_KIND.WIFI ? 1 + FEW_ACCESS_POINTS / count : 1;
}

/** Square metres. What was heard seldom may be heard further away than it was. */
function squareSpread(kind: NetworkKind, { scatter, weight }: LocationDistribution): number {
  return (scatter + PRIOR_WEIGHT * NETWORK_KIND_PARAMETERS[kind].typicalSpread ** 2) / (weight + PRIOR_WEIGHT);
}

/** The cluster of the most networks, of as many the one heard more strongly. */
function best(clusters: readonly LocatingNetwork[][]): LocatingNetwork[] {
  const strength = (cluster: LocatingNetwork[]) =>
    cluster.reduce((sum, { kind, signalStrength }) => sum + signalWeight(kind, signalStrength), 0);
  const ordered = clusters.toSorted((a, b) => b.length - a.length || strength(b) - strength(a));
  return ordered[0] ?? [];
}
