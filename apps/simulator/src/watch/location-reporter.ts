import { ApiError } from '@family-watch/client';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { distanceInMetres } from '../track/journey.js';
import type { PointReporter } from '../track/walk.js';
import type { WatchVitals } from './watch-vitals.js';
import type { WatchConnection } from './watch-connection.js';

/** Reports the location of the watch, along the walk and on request. */
export class LocationReporter implements PointReporter {
  readonly rejectedPoints: { point: Location; reason: string | null }[] = [];
  acknowledgedCount = 0;
  /** When each point was sent, by its `positionTime`. */
  private readonly sentTimes = new Map<number, number>();
  private lastLocation: Location | undefined;

  constructor(
    private readonly connection: WatchConnection,
    private readonly vitals: WatchVitals,
  ) {
    connection.gateway.onMessage('AskLocationPointNoticeMessage', async ({ time }) => {
      connection.log('reports its location on request');
      const point = this.lastPoint(time + 1);
      if (point) await this.report([point]);
    });
  }

  /**
   * Reports points; resolves when the service has acknowledged each point as stored, or rejected it with a reason.
   *
   * @throws ApiError if the response does not contain a result for each point
   */
  async report(points: Location[]): Promise<void> {
    for (const point of points) this.moveTo(point);
    const { points: results } = await this.connection.send('LocationPointChangeMessage', { points });
    for (const { index, accepted, reason } of results) {
      const point = points[index];
      if (accepted) this.acknowledgedCount += 1;
      else if (point) this.rejectedPoints.push({ point, reason });
    }
    if (results.length !== points.length) {
      throw new ApiError({
        status: 200,
        code: 0,
        reason: 'UNKNOWN',
        message: 'The response does not cover every point',
      });
    }
  }

  /** Returns the time in Unix milliseconds when the point with this `positionTime` was sent, or `undefined`. */
  sentAt(positionTime: number): number | undefined {
    return this.sentTimes.get(positionTime);
  }

  /**
   * Returns the last location with the current time, or with the time `earliest` (Unix milliseconds) if it is later.
   */
  lastPoint(earliest = 0): Location | undefined {
    return this.lastLocation && { ...this.lastLocation, positionTime: Math.max(Date.now(), earliest) };
  }

  private moveTo(point: Location): void {
    if (this.lastLocation) this.vitals.walk(distanceInMetres(coordinatesOf(this.lastLocation), coordinatesOf(point)));
    this.lastLocation = point;
    this.sentTimes.set(point.positionTime, Date.now());
  }
}

/** Returns the coordinates as numbers, in degrees. */
export function coordinatesOf({ latitude, longitude }: Location): { latitude: number; longitude: number } {
  return { latitude: Number(latitude), longitude: Number(longitude) };
}
