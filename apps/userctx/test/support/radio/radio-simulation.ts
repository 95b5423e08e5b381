import type { AccessPointDto, CellTowerDto } from '@family-watch/domain/locations/dto/positioning.dto';
import type { RadioEnvironment } from '../../../src/locations/positioning/observed-networks.js';
import { offsetLength, translate, offsetBetween, type LatLng } from '../../../src/locations/positioning/offsets.js';
import type { SeededRandom } from '@family-watch/testing/properties/seeded-random';

interface RadioSender {
  point: LatLng;
  /** Location after some networks have moved; usually equal to `point`. */
  pointAfterMove: LatLng;
  /** Signal strength at a distance of one metre, dBm. */
  powerDbm: number;
  /** Path loss exponent: 2 in open space, more between buildings. */
  pathLossExponent: number;
}

interface SimulatedAccessPoint extends RadioSender {
  macAddress: string;
  ssid: string;
}

/** Minimum strength of an observed access point's signal, dBm. */
const MIN_SIGNAL_DBM = -90;
/** Range of an access point in degrees of latitude. Access points further away are not observed. */
const ACCESS_POINT_RANGE_DEGREES = 0.01;
/** Standard deviation of an access point's signal strength, in dB, which walls and bodies cause. */
const SHADOWING_DB = 6;
/** Standard deviation of a cell's signal strength, in dB. */
const CELL_SHADOWING_DB = 8;
/** Minimum strength of an observed cell's signal, dBm. */
const MIN_CELL_SIGNAL_DBM = -115;

/**
 * Simulates access points and cells along a track, some of which move later. Signals fade with the logarithm of the
 * distance.
 */
export class RadioSimulation {
  private readonly accessPoints: SimulatedAccessPoint[] = [];
  private readonly cells: (RadioSender & { cellId: number })[] = [];

  constructor(
    private readonly random: SeededRandom,
    track: readonly LatLng[],
  ) {
    let metresSinceAccessPoint = 0;
    track.forEach((point, index) => {
      const distance = offsetLength(offsetBetween(track[index - 1] ?? point, point));
      metresSinceAccessPoint += Math.min(100, distance);
      while (metresSinceAccessPoint > 20) {
        metresSinceAccessPoint -= random.nextBetween(15, 45);
        this.accessPoints.push(this.accessPointAt(this.pointNear(point, 5, 60), track));
      }
      if (index % 100 === 0) this.cells.push(this.cellAt(this.pointNear(point, 200, 2_500)));
    });
  }

  /** Returns the networks observed at `point`, before or after some networks have moved. */
  observe(point: LatLng, afterMoves = false): RadioEnvironment {
    const wifiAccessPoints: AccessPointDto[] = [];
    for (const sender of this.accessPoints) {
      if (
        Math.abs((afterMoves ? sender.pointAfterMove : sender.point).latitude - point.latitude) >
        ACCESS_POINT_RANGE_DEGREES
      )
        continue;
      const signalStrength = this.signalStrengthAt(sender, point, afterMoves, SHADOWING_DB);
      if (signalStrength < MIN_SIGNAL_DBM) continue;
      wifiAccessPoints.push({ macAddress: sender.macAddress, ssid: sender.ssid, signalStrength });
    }
    const cellTowers = this.cells
      .map((cell) => ({ cell, signalStrength: this.signalStrengthAt(cell, point, afterMoves, CELL_SHADOWING_DB) }))
      .filter(({ signalStrength }) => signalStrength > MIN_CELL_SIGNAL_DBM)
      .toSorted((one, other) => other.signalStrength - one.signalStrength)
      .slice(0, 2)
      .map(({ cell: { cellId }, signalStrength }): CellTowerDto => ({
        radioType: 'lte',
        mobileCountryCode: 293,
        mobileNetworkCode: 40,
        locationAreaCode: 7,
        cellId,
        signalStrength,
      }));
    return { wifiAccessPoints, cellTowers };
  }

  /** Returns a point `minMetres` to `maxMetres` away from `point`, in a random direction. */
  private pointNear(point: LatLng, minMetres: number, maxMetres: number): LatLng {
    const [distance, angle] = [this.random.nextBetween(minMetres, maxMetres), this.random.nextBetween(0, 2 * Math.PI)];
    return translate(point, { east: distance * Math.sin(angle), north: distance * Math.cos(angle) });
  }

  private accessPointAt(point: LatLng, track: readonly LatLng[]): SimulatedAccessPoint {
    const { random } = this;
    const elsewhere = track[Math.floor(random.next() * track.length)] ?? point;
    const serial = this.accessPoints.length.toString(16).padStart(6, '0');
    return {
      macAddress: `${random.nextBoolean(0.05) ? '02' : '00'}1b21${serial}`.replace(/(..)(?=.)/g, '$1:'),
      ssid: random.nextBoolean(0.05) ? 'home_nomap' : 'home',
      point,
      pointAfterMove: random.nextBoolean(0.05) ? elsewhere : point,
      powerDbm: random.nextBetween(-45, -35),
      pathLossExponent: random.nextBetween(2.5, 3.2),
    };
  }

  private cellAt(point: LatLng): RadioSender & { cellId: number } {
    return { point, pointAfterMove: point, powerDbm: -20, pathLossExponent: 2.8, cellId: 1_000 + this.cells.length };
  }

  private signalStrengthAt(
    { point, pointAfterMove, powerDbm, pathLossExponent }: RadioSender,
    from: LatLng,
    afterMoves: boolean,
    shadowingDb: number,
  ): number {
    const distance = Math.max(1, offsetLength(offsetBetween(from, afterMoves ? pointAfterMove : point)));
    return Math.round(
      Math.min(-20, powerDbm - 10 * pathLossExponent * Math.log10(distance) + this.random.nextNormal(shadowingDb)),
    );
  }
}
