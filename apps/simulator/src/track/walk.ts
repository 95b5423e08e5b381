import type { Location } from '@family-watch/domain/locations/contracts/location';
import { distanceInMetres } from './distance.js';
import type { JourneyPoint } from './journey.js';

/** What one LocationPointChangeMessage can hold. */
const MAX_POINTS_A_MESSAGE = 100;

/** Who is walking: resolves when the service has answered about every point. */
export interface PointReporter {
  report(points: Location[]): Promise<void>;
}

const GPS = 1;
const RADIUS = 10;
/** A centimetre. */
const DECIMALS = 7;

/**
 * Metres a second that no replay exceeds: the service takes 320 for impossible, and then believes none of the points.
 */
const FASTEST = 250;

/** A journey that is replayed: every point is of the moment at which it is sent, and so is told of as it happens. */
export class Walk {
  /** What was or will be reported; empty until the replay begins. */
  points: Location[] = [];
  /** When each point is due, milliseconds after the beginning. */
  private readonly moments: readonly number[];

  /** @param speed - times faster than recorded, at least 1; less where that would be impossibly fast */
  constructor(
    private readonly journey: readonly JourneyPoint[],
    speed: number,
  ) {
    this.moments = momentsOf(journey, speed);
  }

  get length(): number {
    return this.journey.length;
  }

  /** How long the replay takes, milliseconds. */
  get replayTime(): number {
    return this.moments.at(-1) ?? 0;
  }

  /** Reports each point when its time has come; what became due meanwhile goes in one message. */
  async replay(watch: PointReporter): Promise<void> {
    const begin = Date.now();
    this.points = this.journey.map((place, index) => pointAt(place, begin + (this.moments[index] ?? 0)));
    let sent = 0;
    while (sent < this.points.length) {
      const due = this.dueAfter(Date.now() - begin);
      if (due <= sent) {
        const early = Math.max(1, begin + (this.moments[sent] ?? 0) - Date.now());
        await new Promise((resolve) => setTimeout(resolve, early));
        continue;
      }
      const batch = this.points.slice(sent, Math.min(due, sent + MAX_POINTS_A_MESSAGE));
      await watch.report(batch);
      sent += batch.length;
    }
  }

  /** How many points are due. */
  private dueAfter(elapsed: number): number {
    const next = this.moments.findIndex((moment) => moment > elapsed);
    return next === -1 ? this.moments.length : next;
  }
}

/** Strictly rising: a watch has one position at a time. */
function momentsOf(journey: readonly JourneyPoint[], speed: number): number[] {
  const moments: number[] = [];
  for (const [index, point] of journey.entries()) {
    const before = journey[index - 1];
    const earliest = before ? Math.max(1, Math.ceil((distanceInMetres(before, point) / FASTEST) * 1_000)) : 0;
    moments.push(Math.max(Math.round(point.offset / speed), (moments.at(-1) ?? 0) + earliest));
  }
  return moments;
}

function pointAt({ latitude, longitude }: JourneyPoint, positionTime: number): Location {
  return {
    latitude: latitude.toFixed(DECIMALS),
    longitude: longitude.toFixed(DECIMALS),
    positionTime,
    radius: RADIUS,
    pointType: GPS,
  };
}
