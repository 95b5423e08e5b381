import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { JourneyPoint } from './journey.js';

/** What one LocationPointChangeMessage can hold. */
const MAX_POINTS_A_MESSAGE = 100;

/** Who is walking: resolves when the service has answered about every point. */
export interface Walker {
  report(points: Location[]): Promise<void>;
}

const GPS = 1;
const RADIUS = 10;
/** A centimetre. */
const DECIMALS = 7;

/** A journey that is being replayed. */
export class Walk {
  readonly points: Location[];
  private readonly begin: number;

  /**
   * The times are moved so that the journey ends when its replay does: at every moment the newest point sent is of now
   * or before, and the speed between points stays what was recorded.
   * @param speed - times faster than recorded, at least 1
   * @param begin - when the replay begins, Unix milliseconds
   */
  constructor(
    private readonly journey: readonly JourneyPoint[],
    private readonly speed: number,
    begin = Date.now(),
  ) {
    this.begin = begin;
    const duration = journey.at(-1)?.offset ?? 0;
    const departure = Math.floor(begin + this.replayTime - duration);
    this.points = journey.map(({ latitude, longitude, offset }) => ({
      latitude: latitude.toFixed(DECIMALS),
      longitude: longitude.toFixed(DECIMALS),
      positionTime: departure + offset,
      radius: RADIUS,
      pointType: GPS,
    }));
  }

  /** How long the replay takes, milliseconds. */
  get replayTime(): number {
    return (this.journey.at(-1)?.offset ?? 0) / this.speed;
  }

  /** Reports each point when its time has come; what became due meanwhile goes in one message. */
  async replay(watch: Walker): Promise<void> {
    let sent = 0;
    while (sent < this.points.length) {
      const due = this.dueAt(Date.now());
      if (due <= sent) {
        const early = Math.max(1, this.timeOf(sent) - Date.now());
        await new Promise((resolve) => setTimeout(resolve, early));
        continue;
      }
      const batch = this.points.slice(sent, Math.min(due, sent + MAX_POINTS_A_MESSAGE));
      await watch.report(batch);
      sent += batch.length;
    }
  }

  /** How many points are due. */
  private dueAt(now: number): number {
    const next = this.journey.findIndex((_, index) => this.timeOf(index) > now);
    return next === -1 ? this.journey.length : next;
  }

  private timeOf(index: number): number {
    return this.begin + (this.journey[index]?.offset ?? 0) / this.speed;
  }
}
