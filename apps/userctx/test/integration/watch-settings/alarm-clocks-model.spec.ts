import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { AlarmClocksService } from '../../../src/contexts/watch-settings/alarm-clocks.service.js';
import { WatchPullService } from '../../../src/contexts/watch-settings/watch-pull.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { VersionedModel } from './versioned-model.js';
import type { VersionLag } from './versioned-model.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let service: AlarmClocksService;
let family: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  service = replica.get(AlarmClocksService);
  family = await createBoundFamily(environment, replica);
  ({ did } = family.watch);
});
afterAll(() => environment.close());

interface Fields {
  hour?: number;
  repeat?: 'ONCE' | 'DAILY' | 'CUSTOM';
  weekdays?: number[];
  skipDates?: string[];
  label?: string;
  enabled?: boolean;
}

type Alarm = Required<Fields> & { setAt?: number };

const MAX_ALARMS = 20;
const ALARM_DEFAULTS: Alarm = { hour: 0, repeat: 'ONCE', weekdays: [], skipDates: [], label: '', enabled: true };

const sorted = <Value extends string | number>(values: readonly Value[]): Value[] =>
  [...values].sort((a, b) => (a < b ? -1 : 1));

/** Model of a child's alarms, which follows the documented rules of the API. */
class Model extends VersionedModel {
  readonly alarms = new Map<string, Alarm>();

  /** Returns the alarm after the request, or undefined if the request is invalid. */
  apply(before: Alarm, requestFields: Fields): Alarm | undefined {
    const repeat = requestFields.repeat ?? before.repeat;
    // When a CUSTOM alarm gets another repeat mode, its weekdays are cleared implicitly.
    const weekdays = sorted(requestFields.weekdays ?? (repeat === 'CUSTOM' ? before.weekdays : []));
    if (weekdays.length > 0 !== (repeat === 'CUSTOM')) return undefined;
    return {
      ...before,
      ...requestFields,
      repeat,
      weekdays,
      skipDates: sorted(requestFields.skipDates ?? before.skipDates),
    };
  }
}

/** The alarms of the child in the service under test. */
class Real {
  /** Ids of all alarms that were created, including deleted alarms. */
  readonly ids: string[] = [];

  idAt(index: number): string {
    return this.ids[index % this.ids.length] ?? crypto.randomUUID();
  }
}

abstract class Step implements fc.AsyncCommand<Model, Real> {
  constructor(protected readonly versionLag: VersionLag) {}

  check = (): boolean => true;

  async run(model: Model, real: Real): Promise<void> {
    await this.execute(model, real);
    const { version, items } = await service.get(family.owner, did);
    expect(version).toBe(model.version);
    const listed = items.map(({ alarmId, minute: _, setAt: __, nextRingAt: ___, ...rest }) => [alarmId, rest] as const);
    expect(new Map(listed)).toEqual(model.alarms);
    expect(items.map(({ hour }) => hour)).toEqual(sorted(items.map(({ hour }) => hour)));
    for (const { enabled, repeat, nextRingAt } of items) {
      if (!enabled) expect(nextRingAt).toBeNull();
      else if (repeat !== 'ONCE') expect(nextRingAt).toBeGreaterThan(Date.now());
    }
    const fetched = await replica.get(WatchPullService).get(family.watch.principal, 'ALARM_CLOCK');
    expect(fetched.ALARM_CLOCK).toMatchObject({ version, items: items.map(({ alarmId }) => ({ alarmId })) });
  }

  protected abstract execute(model: Model, real: Real): Promise<void>;
}

class CreateAlarm extends Step {
  constructor(
    private readonly requestFields: Fields,
    versionLag: VersionLag,
  ) {
    super(versionLag);
  }

  protected override async execute(model: Model, real: Real): Promise<void> {
    const { hour = 7, ...requestFields } = this.requestFields;
    const request = { did, hour, minute: 30, ...requestFields, ...model.versionField(this.versionLag) };
    const alarm = model.apply(ALARM_DEFAULTS, { hour, ...requestFields });
    const expected = model.isStale(this.versionLag)
      ? 'VERSION_STALE'
      : model.alarms.size >= MAX_ALARMS
        ? 'LIMIT_REACHED'
        : alarm
          ? 'ok'
          : 'VALIDATION_FAILED';
    const outcome = await outcomeOf(async () => {
      const created = await service.create(family.owner, request);
      real.ids.push(created.alarm.alarmId);
      if (alarm) model.alarms.set(created.alarm.alarmId, alarm);
      expect(created.version).toBe(model.incrementVersion());
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `create ${JSON.stringify(this.requestFields)} ${this.versionLag ?? ''}`;
}

class UpdateAlarm extends Step {
  constructor(
    private readonly index: number,
    private readonly requestFields: Fields,
    versionLag: VersionLag,
  ) {
    super(versionLag);
  }

  protected override async execute(model: Model, real: Real): Promise<void> {
    const alarmId = real.idAt(this.index);
    const before = model.alarms.get(alarmId);
    const after = before && model.apply(before, this.requestFields);
    const expected = model.isStale(this.versionLag)
      ? 'VERSION_STALE'
      : before
        ? after
          ? 'ok'
          : 'VALIDATION_FAILED'
        : 'ALARM_CLOCK_NOT_FOUND';
    const outcome = await outcomeOf(async () => {
      const changed = await service.update(family.owner, {
        did,
        alarmId,
        ...this.requestFields,
        ...model.versionField(this.versionLag),
      });
      const isSame = JSON.stringify(after) === JSON.stringify(before);
      expect(changed.version).toBe(isSame ? model.version : model.incrementVersion());
      if (after) model.alarms.set(alarmId, after);
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `update ${this.index} ${JSON.stringify(this.requestFields)} ${this.versionLag ?? ''}`;
}

class DeleteAlarm extends Step {
  constructor(
    private readonly index: number,
    versionLag: VersionLag,
  ) {
    super(versionLag);
  }

  protected override async execute(model: Model, real: Real): Promise<void> {
    const alarmId = real.idAt(this.index);
    const exists = model.alarms.has(alarmId);
    const expected = model.isStale(this.versionLag) ? 'VERSION_STALE' : exists ? 'ok' : 'ALARM_CLOCK_NOT_FOUND';
    const outcome = await outcomeOf(async () => {
      const { version } = await service.delete(family.owner, { did, alarmId, ...model.versionField(this.versionLag) });
      model.alarms.delete(alarmId);
      expect(version).toBe(model.incrementVersion());
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `delete ${this.index} ${this.versionLag ?? ''}`;
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

test('the stored alarms match the model after each request, and every change increments the version', async () => {
  const versionLag = fc.constantFrom<VersionLag>(undefined, undefined, 0, 0, 1, -1);
  const index = fc.nat({ max: 30 });
  const commands = [
    fc.tuple(fields, versionLag).map((parameters) => new CreateAlarm(...parameters)),
    fc.tuple(fields, versionLag).map((parameters) => new CreateAlarm(...parameters)),
    fc.tuple(index, fields, versionLag).map((parameters) => new UpdateAlarm(...parameters)),
    fc.tuple(index, fields, versionLag).map((parameters) => new UpdateAlarm(...parameters)),
    fc.tuple(index, versionLag).map((parameters) => new DeleteAlarm(...parameters)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max' }), async (sequence) => {
      await environment.query('delete from userctx.alarm_clock');
      await environment.query('delete from userctx.settings_version');
      const before = (await environment.events('userctx.watch-settings.changed', family.familyId)).length;
      const model = new Model();
      await fc.asyncModelRun(() => ({ model, real: new Real() }), sequence);
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
