import { toObservedNetworks } from '@family-watch/domain/positioning/contracts/radio-network';
import type { NetworkKind } from '@family-watch/domain/positioning/contracts/radio-network';
import type { RadioEnvironment } from '@family-watch/domain/positioning/contracts/radio-environment';
import { learnNetwork, emptyNetworkState } from '../../../src/contexts/positioning/network-learning.js';
import type { NetworkState } from '../../../src/contexts/positioning/network-learning.js';
import { toSighting } from '../../../src/contexts/positioning/sighting.js';
import { estimateLocation } from '../../../src/contexts/positioning/location-estimate.js';
import type { LocatingNetwork } from '../../../src/contexts/positioning/location-estimate.js';
import { offsetLength, translate, offsetBetween } from '../../../src/contexts/positioning/plane.js';
import type { LatLng } from '../../../src/contexts/positioning/plane.js';
import { RadioWorld } from './radio-world.js';
import { SeededRandom } from './seeded-random.js';

export interface Outcome {
  kind: NetworkKind;
  /** Metres from the truth. */
  error: number;
  radius: number;
}

const LEARNING_DEVICES = 8;
const LOCATING_DEVICES = 6;
const EVERY_NTH_POINT = 4;

/**
 * Some devices go along a track with a GPS that errs, and what they hear is learned; others go along it by another
 * side of the way, after some access points have moved, and are located by what they hear alone.
 */
export class AccuracyTrial {
  private readonly random: SeededRandom;
  private readonly world: RadioWorld;
  private readonly known = new Map<string, NetworkState>();

  constructor(
    private readonly track: readonly LatLng[],
    seed: number,
  ) {
    this.random = new SeededRandom(seed);
    this.world = new RadioWorld(this.random, track);
    for (let device = 0; device < LEARNING_DEVICES; device += 1) this.learnFrom(device);
  }

  /** `null` for each place that nothing is known of. */
  run(heard: (surroundings: RadioEnvironment) => RadioEnvironment = (all) => all): (Outcome | null)[] {
    return Array.from({ length: LOCATING_DEVICES }, () => this.walk(20)).flatMap((places) =>
      places.map((truth) => {
        const circle = estimateLocation(this.recognised(heard(this.world.hear(truth, true))));
        return (
          circle && { kind: circle.kind, radius: circle.radius, error: offsetLength(offsetBetween(truth, circle)) }
        );
      }),
    );
  }

  private learnFrom(device: number): void {
    const deviation = this.random.between(3, 15);
    for (const truth of this.walk(8)) {
      const fix = translate(truth, { east: this.random.bell(deviation), north: this.random.bell(deviation) });
      const radius = Math.round(2 * deviation);
      for (const { kind, name, signalStrength } of toObservedNetworks(this.world.hear(truth))) {
        const before = this.known.get(`${kind} ${name}`) ?? emptyNetworkState(kind);
        const sighting = toSighting(fix, { kind, signalStrength, radius });
        this.known.set(`${kind} ${name}`, learnNetwork(before, [sighting], { witness: device, now: 0 }));
      }
    }
  }

  private recognised(surroundings: RadioEnvironment): LocatingNetwork[] {
    return toObservedNetworks(surroundings).flatMap(({ kind, name, signalStrength }) => {
      const network = this.known.get(`${kind} ${name}`);
      return network?.distribution && network.learned ? [{ kind, signalStrength, ...network.distribution }] : [];
    });
  }

  /** Some of the track's points, by one side of the way. */
  private walk(aside: number): LatLng[] {
    const side = { east: this.random.bell(aside), north: this.random.bell(aside) };
    const first = Math.floor(this.random.next() * EVERY_NTH_POINT);
    return this.track
      .filter((_, index) => index % EVERY_NTH_POINT === first)
      .map((place) =>
        translate(place, { east: side.east + this.random.bell(5), north: side.north + this.random.bell(5) }),
      );
  }
}
