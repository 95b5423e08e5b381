import type { NetworkKind } from '@family-watch/domain/locations/contracts/radio-network';
import { SeededRandom } from '@family-watch/testing/properties/seeded-random';
import { estimateLocation, type LocatingNetwork } from '../../../src/locations/positioning/location-estimate.js';
import { toObservedNetworks, type RadioEnvironment } from '../../../src/locations/positioning/observed-networks.js';
import {
  addSightings,
  emptyNetworkState,
  toSighting,
  type NetworkState,
} from '../../../src/locations/positioning/network-state.js';
import { offsetLength, translate, offsetBetween, type LatLng } from '../../../src/locations/positioning/offsets.js';
import { RadioSimulation } from './radio-simulation.js';

/** An estimated location, compared with the true location of the device. */
export interface EstimateResult {
  kind: NetworkKind;
  /** Distance between the estimated and the true location, in metres. */
  error: number;
  /** Radius of the estimated circle, in metres. */
  radius: number;
}

const REPORTING_DEVICE_COUNT = 8;
const LOCATED_DEVICE_COUNT = 6;
/** A device observes networks at every fourth point of the track. */
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
    for (let device = 0; device < REPORTING_DEVICE_COUNT; device += 1) this.reportFrom(device);
  }

  /**
   * Locates devices beside the track.
   * @param filterEnvironment removes observed networks before the location is estimated
   * @returns one result per location of a device; `null` if no location was estimated
   */
  run(
    filterEnvironment: (environment: RadioEnvironment) => RadioEnvironment = (environment) => environment,
  ): (EstimateResult | null)[] {
    return Array.from({ length: LOCATED_DEVICE_COUNT }, () => this.walk(20)).flatMap((trueLocations) =>
      trueLocations.map((trueLocation) => {
        const environment = filterEnvironment(this.simulation.observe(trueLocation, true));
        const estimate = estimateLocation(this.findConfirmed(environment));
        if (!estimate) return null;
        const { kind, radius } = estimate;
        return { kind, radius, error: offsetLength(offsetBetween(trueLocation, estimate)) };
      }),
    );
  }

  private reportFrom(device: number): void {
    const deviation = this.random.nextBetween(3, 15);
    for (const trueLocation of this.walk(8)) {
      const fix = translate(trueLocation, {
        east: this.random.nextNormal(deviation),
        north: this.random.nextNormal(deviation),
      });
      const radius = Math.round(2 * deviation);
      for (const { kind, name, signalStrength } of toObservedNetworks(this.simulation.observe(trueLocation))) {
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

  /** Returns every fourth point of the track, shifted together by about `metres` and each by a few metres more. */
  private walk(metres: number): LatLng[] {
    const shift = { east: this.random.nextNormal(metres), north: this.random.nextNormal(metres) };
    const first = Math.floor(this.random.next() * POINT_INTERVAL);
    return this.track
      .filter((_, index) => index % POINT_INTERVAL === first)
      .map((point) =>
        translate(point, {
          east: shift.east + this.random.nextNormal(5),
          north: shift.north + this.random.nextNormal(5),
        }),
      );
  }
}
