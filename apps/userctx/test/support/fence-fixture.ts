import type { INestApplicationContext } from '@nestjs/common';
import type { CreateFenceDto, FenceDto } from '@family-watch/domain/locations/dto/fence.dto';
import { POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';
import { FenceMonitorService } from '../../src/locations/fences/fence-monitor.service.js';
import { FencesService } from '../../src/locations/fences/fences.service.js';
import { LocationIntakeService } from '../../src/locations/location-intake.service.js';
import { createBoundFamily, type BoundFamilyFixture } from './bound-family-fixture.js';
import type { WatchesTestEnvironment } from './watches-test-environment.js';

const LATITUDE = 31.23;
const METRES_PER_DEGREE = 111_195;

/** Returns the coordinates `metres` north of the point where {@link createCircle} places circles by default. */
export const pointNorth = (metres: number): { latitude: string; longitude: string } => ({
  latitude: (LATITUDE + metres / METRES_PER_DEGREE).toFixed(7),
  longitude: '121.4737',
});

/** Returns a circle whose centre is {@link pointNorth}. `radius`: metres. */
export const createCircle = (metres = 0, radius = 100): { circle: FenceDto['circle'] & object } => ({
  circle: { ...pointNorth(metres), radius },
});

/** A child with a watch and a fence, by default a circle with a radius of 100 metres. */
export class FenceFixture {
  private constructor(
    private readonly environment: WatchesTestEnvironment,
    private readonly replica: INestApplicationContext,
    readonly boundFamily: BoundFamilyFixture,
    readonly fence: FenceDto,
  ) {}

  static async create(
    environment: WatchesTestEnvironment,
    replica: INestApplicationContext,
    extra: Partial<CreateFenceDto> = {},
  ): Promise<FenceFixture> {
    const boundFamily = await createBoundFamily(environment, replica);
    const request = { name: 'School', ...createCircle(), ...extra, cid: boundFamily.cid };
    return new FenceFixture(
      environment,
      replica,
      boundFamily,
      await replica.get(FencesService).create(boundFamily.owner, request),
    );
  }

  get cid(): string {
    return this.boundFamily.cid;
  }

  /** Returns a fix at `positionTime` that is `metres` metres north of the centre of the fence. */
  fix(positionTime: number, metres: number, extra: Partial<Location> = {}): Location {
    return { ...pointNorth(metres), positionTime, radius: 0, pointType: POINT_TYPE.GPS, ...extra };
  }

  /** Reports points of the watch. The default receipt time is the time of the newest point. */
  async report(points: Location[], receivedAt = Math.max(...points.map(({ positionTime }) => positionTime))) {
    await this.replica.get(LocationIntakeService).process({ did: this.boundFamily.watch.did, points, receivedAt });
  }

  /** Runs the fence timer job with `now` as the current time. */
  async runTimer(now: number, replica = this.replica): Promise<void> {
    await replica.get(FenceMonitorService).evaluateDue(now);
  }

  /**
   * Returns the published fence events as texts `<type> <time>[ late]`, in the order of publication.
   * @throws Error if the stored fence events differ
   */
  async publishedEvents(): Promise<string[]> {
    const events = await this.environment.events('userctx.fence.triggered', this.boundFamily.familyId);
    const published = events.filter(({ cid }) => cid === this.cid);
    const stored = await this.environment.query<{ id: string }>(
      'SELECT fence_event_id AS id FROM userctx.fence_event WHERE cid = $1 ORDER BY id',
      [this.cid],
    );
    const publishedIds = published.map(({ fenceEventId }) => fenceEventId).toSorted();
    if (publishedIds.join() !== stored.map(({ id }) => id).join())
      throw new Error('The stored fence events differ from the published ones');
    return published.map(({ type, time, late }) => `${type} ${time}${late ? ' late' : ''}`);
  }
}
