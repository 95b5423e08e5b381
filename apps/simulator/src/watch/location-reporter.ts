import { ApiError } from '@family-watch/client/api-error';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { distanceInMetres } from '../track/distance.js';
import type { PointReporter } from '../track/walk.js';
import type { WatchVitals } from './watch-vitals.js';
import type { WatchConnection } from './watch-link.js';

/** Reports where the watch is, by itself and when it is asked. */
export class LocationReporter implements PointReporter {
  readonly refused: { point: Location; reason: string | null }[] = [];
  acknowledged = 0;
  private readonly reportedAt = new Map<number, number>();
  private last: Location | undefined;

  constructor(
    private readonly link: WatchConnection,
    private readonly vitals: WatchVitals,
  ) {
    link.gateway.onMessage('AskLocationPointNoticeMessage', async ({ time }) => {
      link.log('is asked where it is, and says so');
      const here = this.lastPoint(time + 1);
      if (here) await this.report([here]);
    });
  }

  /** Resolves when the service has said of every point that it is on disk, or why it will not be kept. */
  async report(points: Location[]): Promise<void> {
    for (const point of points) this.goTo(point);
    const { points: answers } = await this.link.send('LocationPointChangeMessage', { points });
    for (const { index, accepted, reason } of answers) {
      const point = points[index];
      if (accepted) this.acknowledged += 1;
      else if (point) this.refused.push({ point, reason });
    }
    if (answers.length !== points.length) {
      throw new ApiError({ status: 200, code: 0, reason: 'UNKNOWN', message: 'Some points were not answered' });
    }
  }

  /** When the point of this time left the watch, Unix milliseconds. */
  sentAt(positionTime: number): number | undefined {
    return this.reportedAt.get(positionTime);
  }

  /** The last place, at a time that is now and not before `earliest` (Unix milliseconds, by the service's clock). */
  lastPoint(earliest = 0): Location | undefined {
    return this.last && { ...this.last, positionTime: Math.max(Date.now(), earliest) };
  }

  private goTo(point: Location): void {
    if (this.last) this.vitals.walk(distanceInMetres(placeOf(this.last), placeOf(point)));
    this.last = point;
    this.reportedAt.set(point.positionTime, Date.now());
  }
}

function placeOf({ latitude, longitude }: Location): { latitude: number; longitude: number } {
  return { latitude: Number(latitude), longitude: Number(longitude) };
}
