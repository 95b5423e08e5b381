import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { AlarmClocksService } from '../../../src/contexts/watch-settings/alarm-clocks/alarm-clocks.service.js';
import { WatchPullService } from '../../../src/contexts/watch-settings/watch-pull.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { VersionedModel } from './versioned-model.js';
import type { Behind } from './versioned-model.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let service: AlarmClocksService;
let home: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  service = replica.get(AlarmClocksService);
  home = await createBoundFamily(world, replica);
  ({ did } = home.watch);
});
afterAll(() => world.close());

interface Fields {
  hour?: number;
  repeat?: 'ONCE' | 'DAILY' | 'CUSTOM';
  weekdays?: number[];
  skipDates?: string[];
  label?: string;
  enabled?: boolean;
}

type Alarm = Required<Fields> & { setAt?: number };

const LIMIT = 20;
const FRESH: Alarm = { hour: 0, repeat: 'ONCE', weekdays: [], skipDates: [], label: '', enabled: true };

const sorted = <Value extends string | number>(values: readonly Value[]): Value[] =>
  [...values].sort((a, b) => (a < b ? -1 : 1));

/** What parents said of which alarm, in the words of the API page. */
class Model extends VersionedModel {
  readonly alarms = new Map<string, Alarm>();

  /** The alarm after the request, or undefined where it breaks a rule. */
  after(before: Alarm, said: Fields): Alarm | undefined {
    const repeat = said.repeat ?? before.repeat;
    // Who makes a CUSTOM alarm another one need not say that it has no weekdays any more.
    const weekdays = sorted(said.weekdays ?? (repeat === 'CUSTOM' ? before.weekdays : []));
    if (weekdays.length > 0 !== (repeat === 'CUSTOM')) return undefined;
    return { ...before, ...said, repeat, weekdays, skipDates: sorted(said.skipDates ?? before.skipDates) };
  }
}

class Real {
  /** All there ever were, so that those which are gone are named as well. */
  readonly ids: string[] = [];

  idAt(index: number): string {
    return this.ids[index % this.ids.length] ?? crypto.randomUUID();
  }
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  constructor(protected readonly behind: Behind) {}

  check = (): boolean => true;

  async run(model: Model, real: Real): Promise<void> {
    await this.take(model, real);
    const { version, items } = await service.get(home.owner, did);
    expect(version).toBe(model.version);
    const seen = items.map(({ alarmId, minute: _, setAt: __, nextRingAt: ___, ...rest }) => [alarmId, rest] as const);
    expect(new Map(seen)).toEqual(model.alarms);
    expect(items.map(({ hour }) => hour)).toEqual(sorted(items.map(({ hour }) => hour)));
    for (const { enabled, repeat, nextRingAt } of items) {
      if (!enabled) expect(nextRingAt).toBeNull();
      else if (repeat !== 'ONCE') expect(nextRingAt).toBeGreaterThan(Date.now());
    }
    const pulled = await replica.get(WatchPullService).get(home.watch.principal, 'ALARM_CLOCK');
    expect(pulled.ALARM_CLOCK).toMatchObject({ version, items: items.map(({ alarmId }) => ({ alarmId })) });
  }

  protected abstract take(model: Model, real: Real): Promise<void>;
}

class Create extends Step {
  constructor(
    private readonly said: Fields,
    behind: Behind,
  ) {
    super(behind);
  }

  protected override async take(model: Model, real: Real): Promise<void> {
    const { hour = 7, ...said } = this.said;
    const request = { did, hour, minute: 30, ...said, ...model.seen(this.behind) };
    const alarm = model.after(FRESH, { hour, ...said });
    const expected = model.isStale(this.behind)
      ? 'VERSION_STALE'
      : model.alarms.size >= LIMIT
        ? 'LIMIT_REACHED'
        : alarm
          ? 'ok'
          : 'VALIDATION_FAILED';
    const outcome = await outcomeOf(async () => {
      const created = await service.create(home.owner, request);
      real.ids.push(created.alarm.alarmId);
      if (alarm) model.alarms.set(created.alarm.alarmId, alarm);
      expect(created.version).toBe(model.changed());
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `create ${JSON.stringify(this.said)} ${this.behind ?? ''}`;
}

class Update extends Step {
  constructor(
    private readonly at: number,
    private readonly said: Fields,
    behind: Behind,
  ) {
    super(behind);
  }

  protected override async take(model: Model, real: Real): Promise<void> {
    const alarmId = real.idAt(this.at);
    const before = model.alarms.get(alarmId);
    const after = before && model.after(before, this.said);
    const expected = model.isStale(this.behind)
      ? 'VERSION_STALE'
      : before
        ? after
          ? 'ok'
          : 'VALIDATION_FAILED'
        : 'ALARM_CLOCK_NOT_FOUND';
    const outcome = await outcomeOf(async () => {
      const changed = await service.update(home.owner, { did, alarmId, ...this.said, ...model.seen(this.behind) });
      const isSame = JSON.stringify(after) === JSON.stringify(before);
      expect(changed.version).toBe(isSame ? model.version : model.changed());
      if (after) model.alarms.set(alarmId, after);
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `update ${this.at} ${JSON.stringify(this.said)} ${this.behind ?? ''}`;
}

class Delete extends Step {
  constructor(
    private readonly at: number,
    behind: Behind,
  ) {
    super(behind);
  }

  protected override async take(model: Model, real: Real): Promise<void> {
    const alarmId = real.idAt(this.at);
    const there = model.alarms.has(alarmId);
    const expected = model.isStale(this.behind) ? 'VERSION_STALE' : there ? 'ok' : 'ALARM_CLOCK_NOT_FOUND';
    const outcome = await outcomeOf(async () => {
      const { version } = await service.delete(home.owner, { did, alarmId, ...model.seen(this.behind) });
      model.alarms.delete(alarmId);
      expect(version).toBe(model.changed());
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `delete ${this.at} ${this.behind ?? ''}`;
}

const fields: fc.Arbitrary<Fields> = fc.record(
  {
    hour: fc.integer({ min: 5, max: 8 }),
    repeat: fc.constantFrom('ONCE' as const, 'DAILY' as const, 'CUSTOM' as const),
    weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 3 }),
    skipDates: fc.uniqueArray(fc.constantFrom('2026-12-25', '2027-01-01', '2027-05-01')),
    label: fc.constantFrom('', 'School', 'Swimming'),
    enabled: fc.boolean(),
  },
  { requiredKeys: [] },
);

it('alarms are what parents said, and every change and nothing else is a version', async () => {
  const behind = fc.constantFrom<Behind>(undefined, undefined, 0, 0, 1, -1);
  const at = fc.nat({ max: 30 });
  const commands = [
    fc.tuple(fields, behind).map((of) => new Create(...of)),
    fc.tuple(fields, behind).map((of) => new Create(...of)),
    fc.tuple(at, fields, behind).map((of) => new Update(...of)),
    fc.tuple(at, fields, behind).map((of) => new Update(...of)),
    fc.tuple(at, behind).map((of) => new Delete(...of)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max' }), async (sequence) => {
      await world.query('delete from userctx.alarm_clock');
      await world.query('delete from userctx.settings_version');
      const before = (await world.events('userctx.watch-settings.changed', home.familyId)).length;
      const model = new Model();
      await fc.asyncModelRun(() => ({ model, real: new Real() }), sequence);
      const told = (await world.events('userctx.watch-settings.changed', home.familyId)).slice(before);
      expect(told.map(({ version }) => version)).toEqual(Array.from({ length: model.version }, (_, at) => at + 1));
    }),
    { numRuns: propertyRuns(5) },
  );
});
