import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ConsentsService } from '../../../src/contexts/accounts/consents/consents.service.js';
import { ScanIntakeService } from '../../../src/contexts/positioning/scan-intake.service.js';
import { createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

const DAY_MS = 86_400_000;
const START_TIME = Date.UTC(2026, 5, 10, 12);
/** Latitudes in degrees, eleven kilometres apart. */
const PLACES = ['45.3', '45.4', '45.5'];
const FAMILY_COUNT = 4;
const familyOfWatch = (watchIndex: number) => watchIndex % FAMILY_COUNT;

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
/** One watch per family, and a second watch of the first family. */
let watches: BoundFamilyFixture[];

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  replica = await environment.replica();
  watches = [];
  for (let family = 0; family < FAMILY_COUNT; family += 1) watches.push(await createBoundFamily(environment, replica));
  watches.push(await createBoundFamily(environment, replica, watches[0]!.owner));
});
afterAll(() => environment.close());

/**
 * Model of the stored state of one access point: its place, the families that observed it at this place (`observers`)
 * or at another place (`contradictors`) on the day of the last report, and counters of earlier days.
 */
class Model {
  place: number | null = null;
  support = 0;
  observers = new Set<number>();
  contradictors = new Set<number>();
  contradictedDays = 0;
  moveCount = 0;
  blockedUntil = 0;
  lastReportedOn: number | null = null;

  get isConfirmed(): boolean {
    return this.support >= 2;
  }

  report(family: number, places: readonly number[], now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day !== this.lastReportedOn) this.startDay(day, now);
    if (now < this.blockedUntil || this.contradictors.has(family)) return;
    this.blockedUntil = 0;
    const place = this.place ?? places[0];
    if (places.some((reported) => reported !== place)) return this.contradict(family, places, now);
    this.place = place ?? null;
    if (this.observers.has(family)) return;
    this.observers.add(family);
    this.support += 1;
  }

  applyRetention(now: number): void {
    const unseenDays = this.lastReportedOn === null ? 0 : Math.floor(now / DAY_MS) - this.lastReportedOn;
    const isUnconfirmed = !this.isConfirmed && this.moveCount === 0;
    if (unseenDays > 365 || (unseenDays > 30 && isUnconfirmed)) Object.assign(this, new Model());
  }

  private startDay(day: number, now: number): void {
    const { support, observers, contradictors, moveCount } = this;
    if (observers.size > 0) this.contradictedDays = 0;
    else if (support > 0 && contradictors.size > 0) this.contradictedDays += 1;
    const wasOutnumbered = contradictors.size >= 3 && contradictors.size > observers.size;
    if (this.isConfirmed && (wasOutnumbered || this.contradictedDays === 14)) {
      const blockedUntil = now + 2 * DAY_MS * 2 ** Math.min(moveCount, 6);
      Object.assign(this, new Model(), { moveCount: moveCount + 1, blockedUntil });
    }
    Object.assign(this, { lastReportedOn: day, observers: new Set(), contradictors: new Set() });
  }

  private contradict(family: number, places: readonly number[], now: number): void {
    this.contradictors.add(family);
    if (this.observers.delete(family)) this.support -= 1;
    const { support, contradictors, contradictedDays, lastReportedOn, moveCount } = this;
    const unchanged = { lastReportedOn, moveCount };
    if (support === 0) {
      Object.assign(this, new Model(), unchanged, { contradictors });
    } else if (support === 1 && contradictors.size + contradictedDays > 1) {
      Object.assign(this, new Model(), unchanged);
      this.report(family, places, now);
    }
  }
}

type Step =
  | { type: 'report'; watchIndex: number; places: number[] }
  | { type: 'daily reports'; watchIndex: number; place: number; days: number }
  | { type: 'consent'; watchIndex: number; granted: boolean }
  | { type: 'wait'; days: number };

const watchIndex = fc.nat(FAMILY_COUNT);
const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('report' as const), watchIndex, places: arbitraryPlaces() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('daily reports' as const),
      watchIndex,
      place: fc.nat(PLACES.length - 1),
      days: fc.integer({ min: 12, max: 16 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('consent' as const), watchIndex, granted: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('wait' as const), days: fc.constantFrom(1, 2, 4, 31, 366) }) },
);

/**
 * Generates the places of the scans in one report: mostly the same place, so that the network is sometimes confirmed,
 * or four random places, as if the network had moved.
 */
function arbitraryPlaces(): fc.Arbitrary<number[]> {
  const elsewhere = fc.nat(PLACES.length - 1);
  const place = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: elsewhere });
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(place, { minLength: 1, maxLength: 5 }) },
    { weight: 1, arbitrary: fc.tuple(elsewhere, elsewhere, elsewhere, elsewhere) },
  );
}

test('the stored state of an access point matches the model for any sequence of reports, consents and waits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { maxLength: 25 }), async (steps) => {
      await environment.query('delete from userctx.radio_network');
      const consents = Array<boolean>(FAMILY_COUNT).fill(true);
      for (let family = 0; family < FAMILY_COUNT; family += 1) await setConsent(family, true);
      const model = new Model();
      let now = START_TIME;
      const reportToServiceAndModel = async (index: number, places: number[]) => {
        const isGranted = consents[familyOfWatch(index)];
        const results = await report(index, places, now);
        expect(results.map(({ accepted }) => accepted)).toEqual(places.map(() => isGranted));
        if (isGranted) model.report(familyOfWatch(index), places, now);
      };
      for (const step of steps) {
        now += 1_000;
        if (step.type === 'wait') {
          now += step.days * DAY_MS;
          await replica.get(ScanIntakeService).deleteUnobserved(now);
          model.applyRetention(now);
        } else if (step.type === 'consent') {
          await setConsent(step.watchIndex, step.granted);
          consents[familyOfWatch(step.watchIndex)] = step.granted;
        } else if (step.type === 'report') {
          await reportToServiceAndModel(step.watchIndex, step.places);
        } else {
          for (let day = 0; day < step.days; day += 1) {
            now += DAY_MS;
            await reportToServiceAndModel(step.watchIndex, [step.place]);
          }
        }
        expect([step, await readStored()]).toEqual([step, expectedRow(model)]);
      }
    }),
    { numRuns: propertyRuns(21) },
  );
});

function setConsent(index: number, granted: boolean): Promise<unknown> {
  return replica.get(ConsentsService).update(watches[index]!.owner, { purpose: 'POSITIONING', granted });
}

function report(index: number, places: readonly number[], now: number) {
  const scans = places.map((place, order) => ({
    latitude: PLACES[place],
    longitude: '14.1',
    radius: 10,
    positionTime: now - 100 + order,
    wifiAccessPoints: [{ macAddress: '00:1b:21:00:00:01', signalStrength: -60 }],
  }));
  return replica.get(ScanIntakeService).process(watches[index]!.watch.principal, scans, now);
}

interface NetworkRow {
  latitude: number | null;
  learned: boolean;
  support: number;
  witnesses: string[];
  contradictions: string[];
  contradicted_days: number;
  moves: number;
  blocked_until: string | null;
  heard_on: number;
}

/** Returns the stored access point, or `null` if none is stored. */
async function readStored(): Promise<object | null> {
  const [row] = await environment.query<NetworkRow>('select * from userctx.radio_network');
  if (!row) return null;
  return {
    place: row.latitude === null ? null : PLACES.indexOf(row.latitude.toFixed(1)),
    isConfirmed: row.learned,
    support: row.support,
    observers: row.witnesses.length,
    contradictors: row.contradictions.length,
    contradictedDays: row.contradicted_days,
    moveCount: row.moves,
    blockedUntil: Number(row.blocked_until ?? 0),
    lastReportedOn: row.heard_on,
  };
}

function expectedRow(model: Model): object | null {
  if (model.lastReportedOn === null) return null;
  const { place, isConfirmed, support, contradictedDays, moveCount, blockedUntil, lastReportedOn } = model;
  const [observers, contradictors] = [model.observers.size, model.contradictors.size];
  const counters = { support, observers, contradictors, contradictedDays, moveCount };
  return { place, isConfirmed, ...counters, blockedUntil, lastReportedOn };
}
