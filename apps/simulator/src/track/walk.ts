import type { Location } from '@family-watch/domain/locations/contracts/location';
import { distanceInMetres, type JourneyPoint } from './journey.js';

/** Maximum number of points that the service accepts in a LocationPointChangeMessage. */
const MAX_POINTS_PER_MESSAGE = 100;

/** Reports location points to the service. */
export interface PointReporter {
  /** Resolves when the service has acknowledged or rejected each point. */
  report(points: Location[]): Promise<void>;
}

const GPS_POINT_TYPE = 1;
/** Accuracy radius of each point. */
const RADIUS_METRES = 10;
/** Decimal places of coordinates in degrees; the last place is about a centimetre. */
const COORDINATE_DECIMALS = 7;

/** Maximum speed of a replay in metres per second: the service flags points above 320 m/s as implausible. */
const MAX_METRES_PER_SECOND = 250;

/** Replays a journey in real time. The time of each reported point is the time at which the point is sent. */
export class Walk {
  /** All points of the replay; empty until `replay` is called. */
  points: Location[] = [];
  /** Due time of each point, milliseconds since the start of the replay. */
  private readonly dueTimes: readonly number[];

  /**
   * @param speed - multiple of the recorded speed, at least 1; limited so that the service finds the points plausible
   */
  constructor(
    private readonly journey: readonly JourneyPoint[],
    speed: number,
  ) {
    this.dueTimes = toDueTimes(journey, speed);
  }

  get length(): number {
    return this.journey.length;
  }

  /** Duration of the replay, milliseconds. */
  get replayTime(): number {
    return this.dueTimes.at(-1) ?? 0;
  }

  /** Reports each point when it is due. Points that become due during a request share the next message. */
  async replay(watch: PointReporter): Promise<void> {
    const begin = Date.now();
    this.points = this.journey.map((place, index) => pointAt(place, begin + (this.dueTimes[index] ?? 0)));
    let sent = 0;
    while (sent < this.points.length) {
      const due = this.countDue(Date.now() - begin);
      if (due <= sent) {
        const waitMs = Math.max(1, begin + (this.dueTimes[sent] ?? 0) - Date.now());
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        continue;
      }
      const batch = this.points.slice(sent, Math.min(due, sent + MAX_POINTS_PER_MESSAGE));
      await watch.report(batch);
      sent += batch.length;
    }
  }

  /** Returns the number of points that are due. */
  private countDue(elapsed: number): number {
    const next = this.dueTimes.findIndex((dueTime) => dueTime > elapsed);
    return next === -1 ? this.dueTimes.length : next;
  }
}

/** Returns the due times of the points, which strictly increase, so that two points never have the same time. */
function toDueTimes(journey: readonly JourneyPoint[], speed: number): number[] {
  const dueTimes: number[] = [];
  for (const [index, point] of journey.entries()) {
    const previous = journey[index - 1];
    const minIntervalMs = previous
      ? Math.max(1, Math.ceil((distanceInMetres(previous, point) / MAX_METRES_PER_SECOND) * 1_000))
      : 0;
    dueTimes.push(Math.max(Math.round(point.offset / speed), (dueTimes.at(-1) ?? 0) + minIntervalMs));
  }
  return dueTimes;
}

function pointAt({ latitude, longitude }: JourneyPoint, positionTime: number): Location {
  return {
    latitude: latitude.toFixed(COORDINATE_DECIMALS),
    longitude: longitude.toFixed(COORDINATE_DECIMALS),
    positionTime,
    radius: RADIUS_METRES,
    pointType: GPS_POINT_TYPE,
  };
}
