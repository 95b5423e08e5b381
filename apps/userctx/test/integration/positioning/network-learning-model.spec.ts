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

const DAY = 86_400_000;
const START = Date.UTC(2026, 5, 10, 12);
/** Degrees of latitude, eleven kilometres apart. */
const PLACES = ['45.3', '45.4', '45.5'];

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let homes: BoundFamilyFixture[];

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  replica = await world.replica();
  homes = [await createBoundFamily(world, replica), await createBoundFamily(world, replica)];
});
afterAll(() => world.close());

/** What is said of one access point, kept apart from the table: where it is, who said so on which day, how often it strayed. */
class Model {
  place: number | null = null;
  learned = false;
  strays = 0;
  moves = 0;
  blockedUntil = 0;
  heardOn: number | null = null;
  private witnesses = new Set<string>();

  hear(who: number, places: readonly number[], now: number): void {
    this.heardOn = Math.floor(now / DAY);
    if (now < this.blockedUntil) return;
    this.blockedUntil = 0;
    let settled = false;
    for (const place of places) {
      if (this.place !== null && this.place !== place) {
        this.strays += 1;
        if (this.strays === 3) return this.block(now);
      } else {
        this.place = place;
        this.strays = Math.max(0, this.strays - 1);
        settled = true;
      }
    }
    if (settled) this.witnesses.add(`${who} on ${this.heardOn}`);
    this.learned ||= this.witnesses.size >= 2;
  }

  age(now: number): void {
    const silent = this.heardOn === null ? 0 : Math.floor(now / DAY) - this.heardOn;
    const isNothing = !this.learned && this.moves === 0;
    if (silent > 365 || (silent > 30 && isNothing)) Object.assign(this, new Model());
  }

  private block(now: number): void {
    const { moves, heardOn } = this;
    Object.assign(this, new Model(), {
      moves: moves + 1,
      heardOn,
      blockedUntil: now + 2 * DAY * 2 ** Math.min(moves, 6),
    });
  }
}

type Step =
  | { what: 'hear'; who: number; places: number[] }
  | { what: 'consent'; who: number; granted: boolean }
  | { what: 'wait'; days: number };

const who = fc.nat(1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ what: fc.constant('hear' as const), who, places: placesOften() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('consent' as const), who, granted: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('wait' as const), days: fc.constantFrom(1, 2, 4, 31, 366) }) },
);

/** Mostly at home, so that something is learned now and then, or on a way that tells of a move. */
function placesOften(): fc.Arbitrary<number[]> {
  const elsewhere = fc.nat(PLACES.length - 1);
  const place = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: elsewhere });
  return fc.oneof(
    { weight: 3, arbitrary: fc.array(place, { minLength: 1, maxLength: 5 }) },
    { weight: 1, arbitrary: fc.tuple(elsewhere, elsewhere, elsewhere, elsewhere) },
  );
}

it('knows of an access point what the model says, whoever heard it where and when', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await world.query('delete from userctx.radio_network');
      const agreed = [true, true];
      for (const [index] of homes.entries()) await agree(index, true);
      const model = new Model();
      let now = START;
      for (const each of steps) {
        now += 1_000;
        if (each.what === 'wait') {
          now += each.days * DAY;
          await replica.get(NetworkRetentionJob).run(now);
          model.age(now);
        } else if (each.what === 'consent') {
          await agree(each.who, each.granted);
          agreed[each.who] = each.granted;
        } else {
          const results = await report(each.who, each.places, now);
          expect(results.map(({ accepted }) => accepted)).toEqual(each.places.map(() => agreed[each.who]));
          if (agreed[each.who]) model.hear(each.who, each.places, now);
        }
        expect([each, await stored()]).toEqual([each, expectedOf(model)]);
      }
    }),
    { numRuns: propertyRuns(21) },
  );
});

function agree(index: number, granted: boolean): Promise<unknown> {
  return replica.get(ConsentsService).update(homes[index]!.owner, { purpose: 'POSITIONING', granted });
}

function report(index: number, places: readonly number[], now: number) {
  const scans = places.map((place, order) => ({
    latitude: PLACES[place],
    longitude: '14.1',
    radius: 10,
    positionTime: now - 100 + order,
    wifiAccessPoints: [{ macAddress: '00:1b:21:00:00:01', signalStrength: -60 }],
  }));
  return replica.get(ScanIntakeService).process(homes[index]!.watch.principal, scans, now);
}

/** `null` while nothing is stored. */
async function stored(): Promise<object | null> {
  const [row] = await world.query<Record<string, unknown>>('select * from userctx.radio_network');
  if (!row) return null;
  const { latitude, learned, strays, moves, blocked_until: until, heard_on: heardOn } = row;
  const place = latitude === null ? null : PLACES.indexOf(Number(latitude).toFixed(1));
  return { place, learned, strays, moves, blockedUntil: Number(until ?? 0), heardOn };
}

function expectedOf({ place, learned, strays, moves, blockedUntil, heardOn }: Model): object | null {
  return heardOn === null ? null : { place, learned, strays, moves, blockedUntil, heardOn };
}
