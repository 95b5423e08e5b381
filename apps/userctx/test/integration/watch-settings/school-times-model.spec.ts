import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { SchoolTimesService } from '../../../src/contexts/watch-settings/school-times/school-times.service.js';
import { WatchPullService } from '../../../src/contexts/watch-settings/watch-pull.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { VersionedModel } from './versioned-model.js';
import type { Behind } from './versioned-model.js';

const ZONE = 'Asia/Shanghai';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let service: SchoolTimesService;
let home: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  service = replica.get(SchoolTimesService);
  home = await createBoundFamily(world, replica);
  ({ did } = home.watch);
});
afterAll(() => world.close());

interface Fields {
  start?: string;
  end?: string;
  weekdays?: number[];
  holidays?: string[];
  extraDates?: string[];
  enabled?: boolean;
}

type SchoolTime = Required<Fields>;

const FRESH: SchoolTime = { start: '', end: '', weekdays: [], holidays: [], extraDates: [], enabled: true };

/** Times of the model lie on quarters of the day, its dates in the four weeks after this Monday. */
const MONDAY = Date.UTC(2027, 0, 4);
const DAY = 86_400_000;
const dateOf = (day: number): string => new Date(MONDAY + day * DAY).toISOString().slice(0, 10);

/** The quarters in which the range holds, found by walking through four weeks: a holiday of one leaves three others. */
function quartersOf({ start, end, weekdays, holidays, extraDates }: SchoolTime): Set<number> {
  const held = new Set<number>();
  const [from, to] = [Number(start.slice(0, 2)) / 6, Number(end.slice(0, 2)) / 6];
  for (let day = -1; day < 28; day += 1) {
    const starts =
      extraDates.includes(dateOf(day)) || (weekdays.includes(((day + 7) % 7) + 1) && !holidays.includes(dateOf(day)));
    const length = to > from ? to - from : to - from + 4;
    for (let quarter = 0; starts && quarter < length; quarter += 1) held.add(day * 4 + from + quarter);
  }
  return held;
}

class Model extends VersionedModel {
  readonly times = new Map<string, SchoolTime>();
  paused = false;

  isGood(changed: SchoolTime, id?: string): boolean {
    if (changed.start === changed.end || changed.weekdays.length + changed.extraDates.length === 0) return false;
    const quarters = quartersOf(changed);
    const others = [...this.times].filter(([other, { enabled }]) => other !== id && enabled);
    return (
      !changed.enabled || others.every(([, other]) => [...quartersOf(other)].every((quarter) => !quarters.has(quarter)))
    );
  }
}

const ordered = (one: SchoolTime): SchoolTime => ({
  ...one,
  weekdays: [...one.weekdays].sort(),
  holidays: [...one.holidays].sort(),
  extraDates: [...one.extraDates].sort(),
});

/** All there ever were. */
type Ids = string[];

const idAt = (ids: Ids, at: number): string => ids[at % ids.length] ?? crypto.randomUUID();

abstract class Step implements fc.AsyncCommand<Model, Ids> {
  check = (): boolean => true;

  async run(model: Model, ids: Ids): Promise<void> {
    await this.take(model, ids);
    const { version, items, pausedOn } = await service.get(home.owner, did);
    const seen = items.map(({ schoolTimeId, label: _, allowContacts: __, ...rest }) => [schoolTimeId, rest] as const);
    expect({ version, seen: new Map(seen) }).toEqual({ version: model.version, seen: model.times });
    expect(pausedOn).toBe(model.paused ? localDateIn(ZONE, Date.now()) : null);
    const pulled = await replica.get(WatchPullService).get(home.watch.principal, 'SCHOOL_DISABLE');
    expect(pulled.SCHOOL_DISABLE).toMatchObject({ version, items, pausedOn });
  }

  protected abstract take(model: Model, ids: Ids): Promise<void>;
}

class Create extends Step {
  constructor(
    private readonly said: Fields,
    private readonly behind: Behind,
  ) {
    super();
  }

  protected override async take(model: Model, ids: Ids): Promise<void> {
    const { start = '06:00', end = '12:00', ...said } = this.said;
    const wanted = ordered({ ...FRESH, start, end, ...said });
    const expected = model.isStale(this.behind) ? 'VERSION_STALE' : model.isGood(wanted) ? 'ok' : 'VALIDATION_FAILED';
    const outcome = await outcomeOf(async () => {
      const made = await service.create(home.owner, { did, start, end, ...said, ...model.seen(this.behind) });
      expect(made.version).toBe(model.changed());
      ids.push(made.schoolTime.schoolTimeId);
      model.times.set(made.schoolTime.schoolTimeId, wanted);
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `create ${JSON.stringify(this.said)} ${this.behind ?? ''}`;
}

class Update extends Step {
  constructor(
    private readonly at: number,
    private readonly said: Fields,
    private readonly behind: Behind,
  ) {
    super();
  }

  protected override async take(model: Model, ids: Ids): Promise<void> {
    const schoolTimeId = idAt(ids, this.at);
    const before = model.times.get(schoolTimeId);
    const after = before && ordered({ ...before, ...this.said });
    const good = after !== undefined && model.isGood(after, schoolTimeId);
    const unheard = model.isStale(this.behind) ? 'VERSION_STALE' : before ? undefined : 'SCHOOL_TIME_NOT_FOUND';
    const outcome = await outcomeOf(async () => {
      const request = { did, schoolTimeId, ...this.said, ...model.seen(this.behind) };
      const { version } = await service.update(home.owner, request);
      expect(version).toBe(JSON.stringify(after) === JSON.stringify(before) ? model.version : model.changed());
      if (after) model.times.set(schoolTimeId, after);
    });
    expect(outcome).toBe(unheard ?? (good ? 'ok' : 'VALIDATION_FAILED'));
  }

  override toString = () => `update ${this.at} ${JSON.stringify(this.said)} ${this.behind ?? ''}`;
}

class Delete extends Step {
  constructor(private readonly at: number) {
    super();
  }

  protected override async take(model: Model, ids: Ids): Promise<void> {
    const schoolTimeId = idAt(ids, this.at);
    const there = model.times.delete(schoolTimeId);
    const outcome = await outcomeOf(() => service.delete(home.owner, { did, schoolTimeId }));
    expect(outcome).toBe(there ? 'ok' : 'SCHOOL_TIME_NOT_FOUND');
    if (there) model.changed();
  }

  override toString = () => `delete ${this.at}`;
}

class Pause extends Step {
  constructor(
    private readonly paused: boolean,
    private readonly behind: Behind,
  ) {
    super();
  }

  protected override async take(model: Model): Promise<void> {
    const expected = model.isStale(this.behind) ? 'VERSION_STALE' : 'ok';
    const outcome = await outcomeOf(async () => {
      const request = { did, paused: this.paused, ...model.seen(this.behind) };
      const { version } = await service.pauseToday(home.owner, request);
      expect(version).toBe(model.paused === this.paused ? model.version : model.changed());
      model.paused = this.paused;
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `${this.paused ? 'pause' : 'go on'} ${this.behind ?? ''}`;
}

const clock = fc.constantFrom('00:00', '06:00', '12:00', '18:00');
const dates = fc.uniqueArray(fc.integer({ min: 0, max: 6 }).map(dateOf), { maxLength: 2 });
const fields: fc.Arbitrary<Fields> = fc.record(
  {
    start: clock,
    end: clock,
    holidays: dates,
    extraDates: dates,
    enabled: fc.boolean(),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

it('school times are what parents said as long as none meets another, and every change is a version', async () => {
  const behind = fc.constantFrom<Behind>(undefined, undefined, 0, 0, 1, -1);
  const at = fc.nat({ max: 12 });
  const commands = [
    fc.tuple(fields, behind).map((of) => new Create(...of)),
    fc.tuple(fields, behind).map((of) => new Create(...of)),
    fc.tuple(at, fields, behind).map((of) => new Update(...of)),
    fc.tuple(at, fields, behind).map((of) => new Update(...of)),
    at.map((of) => new Delete(of)),
    fc.tuple(fc.boolean(), behind).map((of) => new Pause(...of)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max' }), async (sequence) => {
      for (const table of ['school_time', 'school_pause', 'settings_version'])
        await world.query(`delete from userctx.${table}`);
      const before = (await world.events('userctx.watch-settings.changed', home.familyId)).length;
      const model = new Model();
      await fc.asyncModelRun(() => ({ model, real: [] }), sequence);
      const told = (await world.events('userctx.watch-settings.changed', home.familyId)).slice(before);
      expect(told.map(({ version }) => version)).toEqual(Array.from({ length: model.version }, (_, at) => at + 1));
    }),
    { numRuns: propertyRuns(5) },
  );
});
