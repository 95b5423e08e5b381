import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ConsentsService } from '../../../src/contexts/consents/consents.service.js';
import { NetworkRetentionJob } from '../../../src/contexts/positioning/network-retention.job.js';
import { ScanIntakeService } from '../../../src/contexts/positioning/scan-intake.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DAY_MS = 86_400_000;
const START_TIME = Date.UTC(2026, 5, 10, 12);
/** Latitudes in degrees, eleven kilometres apart. */
const PLACES = ['45.3', '45.4', '45.5'];

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let families: BoundFamilyFixture[];

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  families = [await createBoundFamily(environment, replica), await createBoundFamily(environment, replica)];
});
afterAll(() => environment.close());

/**
 * Model of one access point, independent of the table: its place, the watches that observed it there per day, and its
 * observations at other places.
 */
class Model {
  place: number | null = null;
  isConfirmed = false;
  outOfReachCount = 0;
  moveCount = 0;
  blockedUntil = 0;
  lastObservedOn: number | null = null;
  private observers = new Set<string>();

  report(watchIndex: number, places: readonly number[], now: number): void {
    this.lastObservedOn = Math.floor(now / DAY_MS);
    if (now < this.blockedUntil) return;
    this.blockedUntil = 0;
    let isConfirmed = false;
    for (const place of places) {
      if (this.place !== null && this.place !== place) {
        this.outOfReachCount += 1;
        if (this.outOfReachCount === 3) return this.block(now);
      } else {
        this.place = place;
        this.outOfReachCount = Math.max(0, this.outOfReachCount - 1);
        isConfirmed = true;
      }
    }
    if (isConfirmed) this.observers.add(`${watchIndex} on ${this.lastObservedOn}`);
    this.isConfirmed ||= this.observers.size >= 2;
  }

  applyRetention(now: number): void {
    const unseenDays = this.lastObservedOn === null ? 0 : Math.floor(now / DAY_MS) - this.lastObservedOn;
    const isUnconfirmed = !this.isConfirmed && this.moveCount === 0;
    if (unseenDays > 365 || (unseenDays > 30 && isUnconfirmed)) Object.assign(this, new Model());
  }

  private block(now: number): void {
    const { moveCount, lastObservedOn } = this;
    Object.assign(this, new Model(), {
      moveCount: moveCount + 1,
      lastObservedOn,
      blockedUntil: now + 2 * DAY_MS * 2 ** Math.min(moveCount, 6),
    });
  }
}

type Step =
  | { type: 'report'; watchIndex: number; places: number[] }
  | { type: 'consent'; watchIndex: number; granted: boolean }
  | { type: 'wait'; days: number };

const watchIndex = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('report' as const), watchIndex, places: arbitraryPlaces() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('consent' as const), watchIndex, granted: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), days: fc.constantFrom(1, 2, 4, 31, 366) }) },
);

/** Generates mostly the same place, so that networks are sometimes confirmed, or places that look like a move. */
function arbitraryPlaces(): fc.Arbitrary<number[]> {
  const elsewhere = fc.nat(PLACES.length - 1);
  const place = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: elsewhere });
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(place, { minLength: 1, maxLength: 5 }) },
    { weight: 1, arbitrary: fc.tuple(elsewhere, elsewhere, elsewhere, elsewhere) },
  );
}

it('an access point is stored as in the model after any sequence of reports, consents and waits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await environment.query('delete from userctx.radio_network');
      const consents = [true, true];
      for (const [index] of families.entries()) await setConsent(index, true);
      const model = new Model();
      let now = START_TIME;
      for (const each of steps) {
        now += 1_000;
        if (each.type === 'wait') {
          now += each.days * DAY_MS;
          await replica.get(NetworkRetentionJob).run(now);
          model.applyRetention(now);
        } else if (each.type === 'consent') {
          await setConsent(each.watchIndex, each.granted);
          consents[each.watchIndex] = each.granted;
        } else {
          const results = await report(each.watchIndex, each.places, now);
          expect(results.map(({ accepted }) => accepted)).toEqual(each.places.map(() => consents[each.watchIndex]));
          if (consents[each.watchIndex]) model.report(each.watchIndex, each.places, now);
        }
        expect([each, await readStored()]).toEqual([each, expectedRow(model)]);
      }
    }),
    { numRuns: propertyRuns(21) },
  );
});

function setConsent(index: number, granted: boolean): Promise<unknown> {
  return replica.get(ConsentsService).update(families[index]!.owner, { purpose: 'POSITIONING', granted });
}

function report(index: number, places: readonly number[], now: number) {
  const scans = places.map((place, order) => ({
    latitude: PLACES[place],
    longitude: '14.1',
    radius: 10,
    positionTime: now - 100 + order,
    wifiAccessPoints: [{ macAddress: '00:1b:21:00:00:01', signalStrength: -60 }],
  }));
  return replica.get(ScanIntakeService).process(families[index]!.watch.principal, scans, now);
}

/** Returns the stored access point, or `null` if none is stored. */
async function readStored(): Promise<object | null> {
  const [row] = await environment.query<Record<string, unknown>>('select * from userctx.radio_network');
  if (!row) return null;
  const {
    latitude,
    learned: isConfirmed,
    strays: outOfReachCount,
    moves: moveCount,
    blocked_until: until,
    heard_on: lastObservedOn,
  } = row;
  const place = latitude === null ? null : PLACES.indexOf(Number(latitude).toFixed(1));
  return { place, isConfirmed, outOfReachCount, moveCount, blockedUntil: Number(until ?? 0), lastObservedOn };
}

function expectedRow({
  place,
  isConfirmed,
  outOfReachCount,
  moveCount,
  blockedUntil,
  lastObservedOn,
}: Model): object | null {
  return lastObservedOn === null
    ? null
    : { place, isConfirmed, outOfReachCount, moveCount, blockedUntil, lastObservedOn };
}
