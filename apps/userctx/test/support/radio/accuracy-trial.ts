import { toObservedNetworks } from '@family-watch/domain/positioning/contracts/radio-network';
import type { NetworkKind, RadioEnvironment } from '@family-watch/domain/positioning/contracts/radio-network';
import { SeededRandom } from '@family-watch/testing/properties/seeded-random';
import { estimateLocation } from '../../../src/contexts/positioning/location-estimate.js';
import type { LocatingNetwork } from '../../../src/contexts/positioning/location-estimate.js';
import { addSightings, emptyNetworkState, toSighting } from '../../../src/contexts/positioning/network-state.js';
import type { NetworkState } from '../../../src/contexts/positioning/network-state.js';
import { offsetLength, translate, offsetBetween } from '../../../src/contexts/positioning/plane.js';
import type { LatLng } from '../../../src/contexts/positioning/plane.js';
import { RadioSimulation } from './radio-simulation.js';

export interface Outcome {
  kind: NetworkKind;
  /** Distance between the estimated and the true location, metres. */
  error: number;
  radius: number;
}

const REPORTING_DEVICES = 8;
const LOCATING_DEVICES = 6;
const POINT_INTERVAL = 4;

/**
 * Measures accuracy on a simulated track. First, reporting devices walk along the track with an inaccurate GPS and
 * report the networks that they observe. Later, when some access points have moved, other devices walk beside the track
 * and are located only by observed networks.
 */
export class AccuracyTrial {
  private readonly random: SeededRandom;
  private readonly simulation: RadioSimulation;
  private readonly networks = new Map<string, NetworkState>();

  constructor(
    private readonly track: readonly LatLng[],
    seed: number,
  ) {
    this.random = new SeededRandom(seed);
    this.simulation = new RadioSimulation(this.random, track);
    for (let device = 0; device < REPORTING_DEVICES; device += 1) this.reportFrom(device);
  }

  /** Returns one outcome per place; `null` if no location was found for the place. */
  run(changeEnvironment: (environment: RadioEnvironment) => RadioEnvironment = (all) => all): (Outcome | null)[] {
    return Array.from({ length: LOCATING_DEVICES }, () => this.walk(20)).flatMap((points) =>
      points.map((truth) => {
        const circle = estimateLocation(this.findConfirmed(changeEnvironment(this.simulation.observe(truth, true))));
        return (
          circle && { kind: circle.kind, radius: circle.radius, error: offsetLength(offsetBetween(truth, circle)) }
        );
      }),
    );
  }

  private reportFrom(device: number): void {
    const deviation = this.random.nextBetween(3, 15);
    for (const truth of this.walk(8)) {
      const fix = translate(truth, {
        east: this.random.nextNormal(deviation),
        north: this.random.nextNormal(deviation),
      });
      const radius = Math.round(2 * deviation);
      for (const { kind, name, signalStrength } of toObservedNetworks(this.simulation.observe(truth))) {
        const before = this.networks.get(`${kind} ${name}`) ?? emptyNetworkState(kind, 0);
        const sighting = toSighting(fix, { kind, signalStrength, radius });
        this.networks.set(`${kind} ${name}`, addSightings(before, [sighting], { observerTag: device, now: 0 }));
      }
    }
  }

  private findConfirmed(environment: RadioEnvironment): LocatingNetwork[] {
    return toObservedNetworks(environment).flatMap(({ kind, name, signalStrength }) => {
      const network = this.networks.get(`${kind} ${name}`);
      return network?.distribution && network.isConfirmed ? [{ kind, signalStrength, ...network.distribution }] : [];
    });
  }

  /** Returns every fourth point of the track, shifted to one side of the track. */
  private walk(aside: number): LatLng[] {
    const side = { east: this.random.nextNormal(aside), north: this.random.nextNormal(aside) };
    const first = Math.floor(this.random.next() * POINT_INTERVAL);
    return this.track
      .filter((_, index) => index % POINT_INTERVAL === first)
      .map((point) =>
        translate(point, {
          east: side.east + this.random.nextNormal(5),
          north: side.north + this.random.nextNormal(5),
        }),
      );
  }
}
