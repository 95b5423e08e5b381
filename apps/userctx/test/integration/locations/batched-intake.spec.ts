import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { POINT_TYPE, type Location } from '@family-watch/domain/locations/contracts/location';
import type { PointResultDto } from '@family-watch/domain/locations/dto/location.dto';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { LocationIntakeService, type LocationReport } from '../../../src/locations/location-intake.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const SECOND_MS = 1_000;
const CHILD_COUNT = 3;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let intake: LocationIntakeService;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  intake = replica.get(LocationIntakeService);
});

afterAll(() => environment.close());

interface BoundChild {
  cid: string;
  did: number;
}

async function createBoundChildren(): Promise<BoundChild[]> {
  const created: BoundChild[] = [];
  for (let index = 0; index < CHILD_COUNT; index += 1) {
    const { cid, watch } = await createBoundFamily(environment, replica);
    created.push({ cid, did: watch.did });
  }
  return created;
}

/** Points in the order in which children report them. `pointKind`: how a point relates to the child's last point. */
const steps = fc.array(
  fc.record({
    child: fc.nat(CHILD_COUNT - 1),
    pointKind: fc.constantFrom('walk', 'walk', 'walk', 'jump', 'inaccurate', 'duplicate', 'contradiction', 'invalid'),
    seconds: fc.integer({ min: 1, max: 60 }),
    /** Whether the point starts a new report of the child. */
    newReport: fc.boolean(),
    /** Whether the point starts a new batch. */
    newBatch: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
);

type ReportScript = typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never;

interface ReportStep {
  child: number;
  points: unknown[];
  newBatch: boolean;
}

function toReports(script: ReportScript, start: number): ReportStep[] {
  const reportSteps: ReportStep[] = [];
  const last: (Location | undefined)[] = [];
  let north = 0;
  for (const { child, pointKind, seconds, newReport, newBatch } of script) {
    const lastPoint = last[child];
    north += pointKind === 'jump' ? 5 : 0.0001;
    const latitude = (10 + north).toFixed(6);
    const positionTime = (lastPoint?.positionTime ?? start) + seconds * SECOND_MS;
    const nextPoint = { latitude, longitude: '20', positionTime, radius: 10, pointType: POINT_TYPE.GPS };
    let point: unknown = nextPoint;
    const inaccurate = { ...nextPoint, radius: 9_000 };
    if (pointKind === 'inaccurate') point = inaccurate;
    if (pointKind === 'invalid') point = { ...nextPoint, latitude: 'north' };
    if (pointKind === 'duplicate') point = lastPoint ?? nextPoint;
    if (pointKind === 'contradiction') point = lastPoint ? { ...lastPoint, latitude: '11.5' } : nextPoint;
    // Only points in time order become the last point of the child, because a batch is assessed in time order.
    if (point === nextPoint) last[child] = nextPoint;
    if (point === inaccurate) last[child] = inaccurate;
    const lastReport = reportSteps.findLast((report) => report.child === child);
    if (!lastReport || newReport || newBatch) reportSteps.push({ child, points: [point], newBatch });
    else lastReport.points.push(point);
  }
  return reportSteps;
}

async function readStored(cids: readonly string[]): Promise<unknown> {
  const points = await environment.query(
    `SELECT array_position($1::uuid[], cid) AS child, position_time, latitude, flags FROM userctx.location_point
      WHERE cid = ANY($1::uuid[]) ORDER BY 1, 2, 3`,
    [cids],
  );
  const last = await environment.query(
    `SELECT array_position($1::uuid[], cid) AS child, position_time, latitude, newest_time, newest_credible_time
       FROM userctx.child_location WHERE cid = ANY($1::uuid[]) ORDER BY 1`,
    [cids],
  );
  return { points, last };
}

describe('LocationIntakeService.processAll', () => {
  test('returns and stores the same as LocationIntakeService.process does for the reports one by one', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const [sequential, batched] = [await createBoundChildren(), await createBoundChildren()];
        const receivedAt = Date.now() + 5 * SECOND_MS;
        const reportOf = (children: readonly BoundChild[], { child, points }: ReportStep): LocationReport => ({
          did: children[child]?.did ?? 0,
          points,
          receivedAt,
        });
        const reportSteps = toReports(script, Date.now() - 60 * SECOND_MS);
        const sequentialResults: (PointResultDto[] | null)[] = [];
        for (const report of reportSteps) sequentialResults.push(await intake.process(reportOf(sequential, report)));
        const batchedResults: (PointResultDto[] | null)[] = [];
        let batch: LocationReport[] = [];
        for (const report of reportSteps) {
          if (report.newBatch) batchedResults.push(...(await intake.processAll(batch.splice(0))));
          batch = [...batch, reportOf(batched, report)];
        }
        batchedResults.push(...(await intake.processAll(batch)));
        expect(batchedResults).toEqual(sequentialResults);
        expect(await readStored(batched.map(({ cid }) => cid))).toEqual(
          await readStored(sequential.map(({ cid }) => cid)),
        );
      }),
      { numRuns: propertyRuns(4), endOnFailure: true },
    );
  }, 360_000);

  test('returns results in the order of the reports, and null for an unbound watch', async () => {
    const [child] = await createBoundChildren();
    const unboundWatch = await TestWatch.createEnrolled(replica);
    const point = { latitude: '1', longitude: '2', positionTime: Date.now(), radius: 5, pointType: POINT_TYPE.GPS };
    const receivedAt = Date.now();
    const results = await intake.processAll([
      { did: unboundWatch.did, points: [point], receivedAt },
      { did: child?.did ?? 0, points: [point, 'no point'], receivedAt },
    ]);
    expect(results).toEqual([
      null,
      [
        { index: 0, accepted: true, flags: [], reason: null },
        { index: 1, accepted: false, flags: [], reason: 'NOT_AN_OBJECT' },
      ],
    ]);
    expect(await intake.processAll([])).toEqual([]);
  });
});
