import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { ReportedCallDto } from '@family-watch/domain/watch-settings/dto/blocked-call.dto';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { BlockedCallsService } from '../../../src/contexts/watch-settings/strangers/blocked-calls.service.js';
import { StrangersService } from '../../../src/contexts/watch-settings/strangers/strangers.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { VersionedModel } from './versioned-model.js';
import type { Behind } from './versioned-model.js';

let world: WatchesTestEnvironment;
/** Two processes that share the database: a watch's report and a parent's change may meet. */
let replicas: readonly [INestApplicationContext, INestApplicationContext];
let strangers: StrangersService;
let home: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replicas = [await world.replica({}, { relay: true }), await world.replica({}, { relay: true })];
  strangers = replicas[0].get(StrangersService);
  home = await createBoundFamily(world, replicas[0]);
  ({ did } = home.watch);
});
afterAll(() => world.close());

/** What the watch reports, to one process or the other. */
function report(calls: readonly ReportedCallDto[], nth: number): Promise<void> {
  return replicas[nth % 2 === 0 ? 0 : 1].get(BlockedCallsService).report(home.watch.principal, calls);
}

interface Call {
  time: number;
  number: string;
  /** Some networks leave out where a call comes from. */
  area: '86' | '+49' | undefined;
  outcome: 'ALLOWED' | 'BLOCKED';
}

interface Allowed {
  allowId: string;
  number: string;
  area: string;
  once: boolean;
}

const plus = (area: string | undefined) => (area === undefined ? null : `+${area.replace('+', '')}`);
const nameOf = ({ time, number, area }: Call) => `${time} ${number} ${plus(area) ?? ''}`;

class Model extends VersionedModel {
  enabled = true;
  allowed: Allowed[] = [];
  /** By their name: the first report of a call is what counts. */
  readonly calls = new Map<string, Call>();

  report(calls: readonly Call[]): void {
    const before = this.allowed.length;
    for (const call of calls) {
      if (this.calls.has(nameOf(call))) continue;
      this.calls.set(nameOf(call), call);
      if (call.outcome === 'ALLOWED') this.useUp(call);
    }
    if (this.allowed.length < before) this.changed();
  }

  get blocked(): string[] {
    const blocked = [...this.calls.values()].filter(({ outcome }) => outcome === 'BLOCKED');
    return blocked.map(nameOf).sort();
  }

  private useUp({ number, area }: Call): void {
    const fits = (one: Allowed) => one.once && one.number === number && (area === undefined || plus(area) === one.area);
    const used = this.allowed.find(fits);
    this.allowed = this.allowed.filter((one) => one !== used);
  }
}

abstract class Step implements fc.AsyncCommand<Model, null> {
  check = (): boolean => true;

  async run(model: Model): Promise<void> {
    await this.take(model);
    const { version, enabled, allowNumbers } = await strangers.get(home.owner, did);
    const seen = allowNumbers.map(({ allowId, phoneNumber: number, areaCode: area, once }) => ({
      allowId,
      number,
      area,
      once,
    }));
    expect({ version, enabled, seen }).toEqual({ version: model.version, enabled: model.enabled, seen: model.allowed });
    const { items } = await replicas[1].get(BlockedCallsService).list(home.owner, { did, limit: 200 });
    expect(
      items.map(({ time, phoneNumber, areaCode }) => `${time} ${phoneNumber ?? ''} ${areaCode ?? ''}`).sort(),
    ).toEqual(model.blocked);
  }

  protected abstract take(model: Model): Promise<void>;
}

class Allow extends Step {
  constructor(
    private readonly phoneNumber: string,
    private readonly once: boolean,
    private readonly behind: Behind,
  ) {
    super();
  }

  protected override async take(model: Model): Promise<void> {
    const { phoneNumber, once } = this;
    const request = { did, areaCode: '86', phoneNumber, once, ...model.seen(this.behind) };
    const expected = model.isStale(this.behind) ? 'VERSION_STALE' : 'ok';
    const outcome = await outcomeOf(async () => {
      const { version, allowNumber } = await strangers.allow(home.owner, request);
      expect(version).toBe(model.changed());
      model.allowed.push({ allowId: allowNumber.allowId, number: phoneNumber, area: '+86', once });
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `allow ${this.phoneNumber}${this.once ? ' once' : ''} ${this.behind ?? ''}`;
}

class Disallow extends Step {
  constructor(private readonly at: number) {
    super();
  }

  protected override async take(model: Model): Promise<void> {
    const found = model.allowed[this.at];
    const outcome = await outcomeOf(() =>
      strangers.disallow(home.owner, { did, allowId: found?.allowId ?? crypto.randomUUID() }),
    );
    expect(outcome).toBe(found ? 'ok' : 'ALLOW_NUMBER_NOT_FOUND');
    if (found) model.changed();
    model.allowed = model.allowed.filter((one) => one !== found);
  }

  override toString = () => `disallow ${this.at}`;
}

class Expire extends Step {
  constructor(private readonly at: number) {
    super();
  }

  /** No version: the watch knows the moment. */
  protected override async take(model: Model): Promise<void> {
    const found = model.allowed[this.at];
    await world.query('update userctx.allowed_number set expires_at = 1 where allow_id = $1', [found?.allowId ?? null]);
    model.allowed = model.allowed.filter((one) => one !== found);
  }

  override toString = () => `expire ${this.at}`;
}

class Switch extends Step {
  constructor(private readonly enabled: boolean) {
    super();
  }

  protected override async take(model: Model): Promise<void> {
    await strangers.update(home.owner, { did, enabled: this.enabled });
    if (model.enabled !== this.enabled) model.changed();
    model.enabled = this.enabled;
  }

  override toString = () => `switch ${this.enabled ? 'on' : 'off'}`;
}

class Report extends Step {
  /** @param lists more than one: sent at once, to different processes */
  constructor(private readonly lists: readonly (readonly Call[])[]) {
    super();
  }

  protected override async take(model: Model): Promise<void> {
    const toDto = ({ time, number, area, outcome }: Call): ReportedCallDto => ({
      time,
      phoneNumber: number,
      outcome,
      ...(area === undefined ? {} : { areaCode: area }),
    });
    await Promise.all(this.lists.map((calls, nth) => report(calls.map(toDto), nth)));
    for (const calls of this.lists) model.report(calls);
  }

  override toString = () => `report ${JSON.stringify(this.lists)}`;
}

it('a number that is allowed once calls once, whatever is reported twice, late or at the same moment', async () => {
  const number = fc.constantFrom('02155501234', '02155509999');
  const call: fc.Arbitrary<Call> = fc.record({
    time: fc.integer({ min: 1, max: 12 }),
    number,
    area: fc.constantFrom<Call['area']>('86', '86', '+49', undefined),
    outcome: fc.constantFrom('ALLOWED' as const, 'ALLOWED' as const, 'BLOCKED' as const),
  });
  const calls = fc.array(call, { minLength: 1, maxLength: 3 });
  const at = fc.nat({ max: 4 });
  const commands = [
    fc
      .tuple(number, fc.constantFrom(true, true, false), fc.constantFrom<Behind>(undefined, undefined, 0, 1))
      .map((of) => new Allow(...of)),
    fc.tuple(number, fc.constant(true), fc.constant(undefined)).map((of) => new Allow(...of)),
    at.map((of) => new Disallow(of)),
    at.map((of) => new Expire(of)),
    fc.boolean().map((of) => new Switch(of)),
    calls.map((of) => new Report([of])),
    // The same report twice at once, as a watch does that heard no answer.
    calls.map((of) => new Report([of, of])),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (sequence) => {
      for (const table of ['settings_version', 'stranger_rule', 'allowed_number', 'blocked_call'])
        await world.query(`delete from userctx.${table}`);
      await fc.asyncModelRun(() => ({ model: new Model(), real: null }), sequence);
    }),
    { numRuns: propertyRuns(5) },
  );
});

it('of many calls at once from a number that is allowed once, one uses it up, and there is one version of it', async () => {
  await world.query('delete from userctx.settings_version');
  await world.query('delete from userctx.allowed_number');
  const phoneNumber = '02155501234';
  await strangers.allow(home.owner, { did, areaCode: '86', phoneNumber });
  const { allowNumber } = await strangers.allow(home.owner, { did, areaCode: '86', phoneNumber, once: false });
  const time = Date.now();
  await Promise.all(
    Array.from({ length: 8 }, (_, nth) => report([{ time: time + nth, phoneNumber, outcome: 'ALLOWED' }], nth)),
  );
  expect(await strangers.get(home.owner, did)).toMatchObject({ version: 3, allowNumbers: [allowNumber] });
});
