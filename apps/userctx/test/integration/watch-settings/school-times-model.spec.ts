import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { SchoolTimesService } from '../../../src/contexts/watch-settings/school-times.service.js';
import { WatchPullService } from '../../../src/contexts/watch-settings/watch-pull.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { VersionedModel } from './versioned-model.js';
import type { VersionLag } from './versioned-model.js';

const TIME_ZONE = 'Asia/Shanghai';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let service: SchoolTimesService;
let family: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  service = replica.get(SchoolTimesService);
  family = await createBoundFamily(environment, replica);
  ({ did } = family.watch);
});
afterAll(() => environment.close());

interface Fields {
  start?: string;
  end?: string;
  weekdays?: number[];
  holidays?: string[];
  extraDates?: string[];
  enabled?: boolean;
}

type SchoolTime = Required<Fields>;

const SCHOOL_TIME_DEFAULTS: SchoolTime = {
  start: '',
  end: '',
  weekdays: [],
  holidays: [],
  extraDates: [],
  enabled: true,
};

/** First day of the four weeks that contain all dates of the model, in Unix milliseconds. */
const MONDAY = Date.UTC(2027, 0, 4);
const DAY_MS = 86_400_000;
const dateOf = (day: number): string => new Date(MONDAY + day * DAY_MS).toISOString().slice(0, 10);

/**
 * Returns the quarter days that the school time covers in four weeks, counted from MONDAY. All times of the model are
 * multiples of six hours. A holiday removes the occurrence of one week only.
 */
function quartersOf({ start, end, weekdays, holidays, extraDates }: SchoolTime): Set<number> {
  const covered = new Set<number>();
  const [from, to] = [Number(start.slice(0, 2)) / 6, Number(end.slice(0, 2)) / 6];
  for (let day = -1; day < 28; day += 1) {
    const startsOnDay =
      extraDates.includes(dateOf(day)) || (weekdays.includes(((day + 7) % 7) + 1) && !holidays.includes(dateOf(day)));
    const length = to > from ? to - from : to - from + 4;
    for (let quarter = 0; startsOnDay && quarter < length; quarter += 1) covered.add(day * 4 + from + quarter);
  }
  return covered;
}

class Model extends VersionedModel {
  readonly times = new Map<string, SchoolTime>();
  paused = false;

  isValid(changed: SchoolTime, id?: string): boolean {
    if (changed.start === changed.end || changed.weekdays.length + changed.extraDates.length === 0) return false;
    const quarters = quartersOf(changed);
    const others = [...this.times].filter(([other, { enabled }]) => other !== id && enabled);
    return (
      !changed.enabled || others.every(([, other]) => [...quartersOf(other)].every((quarter) => !quarters.has(quarter)))
    );
  }
}

const withSortedLists = (one: SchoolTime): SchoolTime => ({
  ...one,
  weekdays: [...one.weekdays].sort(),
  holidays: [...one.holidays].sort(),
  extraDates: [...one.extraDates].sort(),
});

/** Ids of all school times that were created, including deleted school times. */
type SchoolTimeIds = string[];

const idAt = (ids: SchoolTimeIds, index: number): string => ids[index % ids.length] ?? crypto.randomUUID();

abstract class Step implements fc.AsyncCommand<Model, SchoolTimeIds> {
  check = (): boolean => true;

  async run(model: Model, ids: SchoolTimeIds): Promise<void> {
    await this.execute(model, ids);
    const { version, items, pausedOn } = await service.get(family.owner, did);
    const listed = items.map(({ schoolTimeId, label: _, allowContacts: __, ...rest }) => [schoolTimeId, rest] as const);
    expect({ version, listed: new Map(listed) }).toEqual({ version: model.version, listed: model.times });
    expect(pausedOn).toBe(model.paused ? localDateIn(TIME_ZONE, Date.now()) : null);
    const fetched = await replica.get(WatchPullService).get(family.watch.principal, 'SCHOOL_DISABLE');
    expect(fetched.SCHOOL_DISABLE).toMatchObject({ version, items, pausedOn });
  }

  protected abstract execute(model: Model, ids: SchoolTimeIds): Promise<void>;
}

class CreateSchoolTime extends Step {
  constructor(
    private readonly requestFields: Fields,
    private readonly versionLag: VersionLag,
  ) {
    super();
  }

  protected override async execute(model: Model, ids: SchoolTimeIds): Promise<void> {
    const { start = '06:00', end = '12:00', ...requestFields } = this.requestFields;
    const requested = withSortedLists({ ...SCHOOL_TIME_DEFAULTS, start, end, ...requestFields });
    const expected = model.isStale(this.versionLag)
      ? 'VERSION_STALE'
      : model.isValid(requested)
        ? 'ok'
        : 'VALIDATION_FAILED';
    const outcome = await outcomeOf(async () => {
      const created = await service.create(family.owner, {
        did,
        start,
        end,
        ...requestFields,
        ...model.versionField(this.versionLag),
      });
      expect(created.version).toBe(model.incrementVersion());
      ids.push(created.schoolTime.schoolTimeId);
      model.times.set(created.schoolTime.schoolTimeId, requested);
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `create ${JSON.stringify(this.requestFields)} ${this.versionLag ?? ''}`;
}

class UpdateSchoolTime extends Step {
  constructor(
    private readonly index: number,
    private readonly requestFields: Fields,
    private readonly versionLag: VersionLag,
  ) {
    super();
  }

  protected override async execute(model: Model, ids: SchoolTimeIds): Promise<void> {
    const schoolTimeId = idAt(ids, this.index);
    const before = model.times.get(schoolTimeId);
    const after = before && withSortedLists({ ...before, ...this.requestFields });
    const isValid = after !== undefined && model.isValid(after, schoolTimeId);
    const rejection = model.isStale(this.versionLag) ? 'VERSION_STALE' : before ? undefined : 'SCHOOL_TIME_NOT_FOUND';
    const outcome = await outcomeOf(async () => {
      const request = { did, schoolTimeId, ...this.requestFields, ...model.versionField(this.versionLag) };
      const { version } = await service.update(family.owner, request);
      expect(version).toBe(JSON.stringify(after) === JSON.stringify(before) ? model.version : model.incrementVersion());
      if (after) model.times.set(schoolTimeId, after);
    });
    expect(outcome).toBe(rejection ?? (isValid ? 'ok' : 'VALIDATION_FAILED'));
  }

  override toString = () => `update ${this.index} ${JSON.stringify(this.requestFields)} ${this.versionLag ?? ''}`;
}

class DeleteSchoolTime extends Step {
  constructor(private readonly index: number) {
    super();
  }

  protected override async execute(model: Model, ids: SchoolTimeIds): Promise<void> {
    const schoolTimeId = idAt(ids, this.index);
    const exists = model.times.delete(schoolTimeId);
    const outcome = await outcomeOf(() => service.delete(family.owner, { did, schoolTimeId }));
    expect(outcome).toBe(exists ? 'ok' : 'SCHOOL_TIME_NOT_FOUND');
    if (exists) model.incrementVersion();
  }

  override toString = () => `delete ${this.index}`;
}

class PauseSchoolTime extends Step {
  constructor(
    private readonly paused: boolean,
    private readonly versionLag: VersionLag,
  ) {
    super();
  }

  protected override async execute(model: Model): Promise<void> {
    const expected = model.isStale(this.versionLag) ? 'VERSION_STALE' : 'ok';
    const outcome = await outcomeOf(async () => {
      const request = { did, paused: this.paused, ...model.versionField(this.versionLag) };
      const { version } = await service.pauseToday(family.owner, request);
      expect(version).toBe(model.paused === this.paused ? model.version : model.incrementVersion());
      model.paused = this.paused;
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `${this.paused ? 'pause' : 'resume'} ${this.versionLag ?? ''}`;
}

const timesOfDay = fc.constantFrom('00:00', '06:00', '12:00', '18:00');
const dates = fc.uniqueArray(fc.integer({ min: 0, max: 6 }).map(dateOf), { maxLength: 2 });
const fields: fc.Arbitrary<Fields> = fc.record(
  {
    start: timesOfDay,
    end: timesOfDay,
    holidays: dates,
    extraDates: dates,
    enabled: fc.boolean(),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

test('the stored school times match the model after each request, and every change increments the version', async () => {
  const versionLag = fc.constantFrom<VersionLag>(undefined, undefined, 0, 0, 1, -1);
  const index = fc.nat({ max: 12 });
  const commands = [
    fc.tuple(fields, versionLag).map((parameters) => new CreateSchoolTime(...parameters)),
    fc.tuple(fields, versionLag).map((parameters) => new CreateSchoolTime(...parameters)),
    fc.tuple(index, fields, versionLag).map((parameters) => new UpdateSchoolTime(...parameters)),
    fc.tuple(index, fields, versionLag).map((parameters) => new UpdateSchoolTime(...parameters)),
    index.map((parameters) => new DeleteSchoolTime(parameters)),
    fc.tuple(fc.boolean(), versionLag).map((parameters) => new PauseSchoolTime(...parameters)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max' }), async (sequence) => {
      for (const table of ['school_time', 'school_pause', 'settings_version'])
        await environment.query(`delete from userctx.${table}`);
      const before = (await environment.events('userctx.watch-settings.changed', family.familyId)).length;
      const model = new Model();
      await fc.asyncModelRun(() => ({ model, real: [] }), sequence);
      const publishedEvents = (await environment.events('userctx.watch-settings.changed', family.familyId)).slice(
        before,
      );
      expect(publishedEvents.map(({ version }) => version)).toEqual(
        Array.from({ length: model.version }, (_, index) => index + 1),
      );
    }),
    { numRuns: propertyRuns(5) },
  );
});
