import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { ReportedCallDto } from '@family-watch/domain/watch-settings/dto/stranger.dto';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { StrangersService } from '../../../src/contexts/watch-settings/strangers.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { VersionedModel } from './versioned-model.js';
import type { VersionLag } from './versioned-model.js';

let environment: WatchesTestEnvironment;
/** Two replicas of userctx, so that a report of the watch and a change by a guardian can be concurrent. */
let replicas: readonly [INestApplicationContext, INestApplicationContext];
let strangers: StrangersService;
let family: BoundFamilyFixture;
let did: number;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replicas = [
    await environment.replica({}, { isRelayDisabled: true }),
    await environment.replica({}, { isRelayDisabled: true }),
  ];
  strangers = replicas[0].get(StrangersService);
  family = await createBoundFamily(environment, replicas[0]);
  ({ did } = family.watch);
});
afterAll(() => environment.close());

/** Reports calls of the watch to one of the two replicas. */
function reportCalls(calls: readonly ReportedCallDto[], index: number): Promise<void> {
  return replicas[index % 2 === 0 ? 0 : 1].get(StrangersService).reportCalls(family.watch.principal, calls);
}

interface Call {
  time: number;
  number: string;
  /** Some phone networks omit the area code. */
  areaCode: '86' | '+49' | undefined;
  outcome: 'ALLOWED' | 'BLOCKED';
}

interface AllowedNumberState {
  allowId: string;
  number: string;
  areaCode: string;
  once: boolean;
}

const toAreaCode = (areaCode: string | undefined) => (areaCode === undefined ? null : `+${areaCode.replace('+', '')}`);
const callKey = ({ time, number, areaCode }: Call) => `${time} ${number} ${toAreaCode(areaCode) ?? ''}`;

/** Model of the stranger rule, the allowed numbers and the reported calls of a child. */
class Model extends VersionedModel {
  enabled = true;
  allowedNumbers: AllowedNumberState[] = [];
  /** Reported calls by `callKey`; repeated reports of a call are ignored. */
  readonly calls = new Map<string, Call>();

  report(calls: readonly Call[]): void {
    const before = this.allowedNumbers.length;
    for (const call of calls) {
      if (this.calls.has(callKey(call))) continue;
      this.calls.set(callKey(call), call);
      if (call.outcome === 'ALLOWED') this.deleteUsedAllowance(call);
    }
    if (this.allowedNumbers.length < before) this.incrementVersion();
  }

  /** Keys of the blocked calls. */
  get blockedCallKeys(): string[] {
    const blocked = [...this.calls.values()].filter(({ outcome }) => outcome === 'BLOCKED');
    return blocked.map(callKey).sort();
  }

  private deleteUsedAllowance({ number, areaCode }: Call): void {
    const matches = (one: AllowedNumberState) =>
      one.once && one.number === number && (areaCode === undefined || toAreaCode(areaCode) === one.areaCode);
    const used = this.allowedNumbers.find(matches);
    this.allowedNumbers = this.allowedNumbers.filter((one) => one !== used);
  }
}

abstract class Step implements fc.AsyncCommand<Model, null> {
  check = (): boolean => true;

  async run(model: Model): Promise<void> {
    await this.execute(model);
    const { version, enabled, allowNumbers } = await strangers.get(family.owner, did);
    const listed = allowNumbers.map(({ allowId, phoneNumber: number, areaCode, once }) => ({
      allowId,
      number,
      areaCode,
      once,
    }));
    expect({ version, enabled, listed }).toEqual({
      version: model.version,
      enabled: model.enabled,
      listed: model.allowedNumbers,
    });
    const { items } = await replicas[1].get(StrangersService).listBlockedCalls(family.owner, { did, limit: 200 });
    expect(
      items.map(({ time, phoneNumber, areaCode }) => `${time} ${phoneNumber ?? ''} ${areaCode ?? ''}`).sort(),
    ).toEqual(model.blockedCallKeys);
  }

  protected abstract execute(model: Model): Promise<void>;
}

class AllowNumber extends Step {
  constructor(
    private readonly phoneNumber: string,
    private readonly once: boolean,
    private readonly versionLag: VersionLag,
  ) {
    super();
  }

  protected override async execute(model: Model): Promise<void> {
    const { phoneNumber, once } = this;
    const request = { did, areaCode: '86', phoneNumber, once, ...model.versionField(this.versionLag) };
    const expected = model.isStale(this.versionLag) ? 'VERSION_STALE' : 'ok';
    const outcome = await outcomeOf(async () => {
      const { version, allowNumber } = await strangers.allow(family.owner, request);
      expect(version).toBe(model.incrementVersion());
      model.allowedNumbers.push({ allowId: allowNumber.allowId, number: phoneNumber, areaCode: '+86', once });
    });
    expect(outcome).toBe(expected);
  }

  override toString = () => `allow ${this.phoneNumber}${this.once ? ' once' : ''} ${this.versionLag ?? ''}`;
}

class DisallowNumber extends Step {
  constructor(private readonly index: number) {
    super();
  }

  protected override async execute(model: Model): Promise<void> {
    const found = model.allowedNumbers[this.index];
    const outcome = await outcomeOf(() =>
      strangers.disallow(family.owner, { did, allowId: found?.allowId ?? crypto.randomUUID() }),
    );
    expect(outcome).toBe(found ? 'ok' : 'ALLOW_NUMBER_NOT_FOUND');
    if (found) model.incrementVersion();
    model.allowedNumbers = model.allowedNumbers.filter((one) => one !== found);
  }

  override toString = () => `disallow ${this.index}`;
}

class ExpireNumber extends Step {
  constructor(private readonly index: number) {
    super();
  }

  /** Expires an allowed number. The expiry creates no version, because the watch knows the expiry time. */
  protected override async execute(model: Model): Promise<void> {
    const found = model.allowedNumbers[this.index];
    await environment.query('update userctx.allowed_number set expires_at = 1 where allow_id = $1', [
      found?.allowId ?? null,
    ]);
    model.allowedNumbers = model.allowedNumbers.filter((one) => one !== found);
  }

  override toString = () => `expire ${this.index}`;
}

class SetStrangerRule extends Step {
  constructor(private readonly enabled: boolean) {
    super();
  }

  protected override async execute(model: Model): Promise<void> {
    await strangers.update(family.owner, { did, enabled: this.enabled });
    if (model.enabled !== this.enabled) model.incrementVersion();
    model.enabled = this.enabled;
  }

  override toString = () => `switch ${this.enabled ? 'on' : 'off'}`;
}

class Report extends Step {
  /** @param lists - lists of calls, which the step reports concurrently to different replicas */
  constructor(private readonly lists: readonly (readonly Call[])[]) {
    super();
  }

  protected override async execute(model: Model): Promise<void> {
    const toDto = ({ time, number, areaCode, outcome }: Call): ReportedCallDto => ({
      time,
      phoneNumber: number,
      outcome,
      ...(areaCode === undefined ? {} : { areaCode }),
    });
    await Promise.all(this.lists.map((calls, index) => reportCalls(calls.map(toDto), index)));
    for (const calls of this.lists) model.report(calls);
  }

  override toString = () => `report ${JSON.stringify(this.lists)}`;
}

test('allowed numbers match the model for duplicate, late and concurrent reports of calls', async () => {
  const number = fc.constantFrom('02155501234', '02155509999');
  const call: fc.Arbitrary<Call> = fc.record({
    time: fc.integer({ min: 1, max: 12 }),
    number,
    areaCode: fc.constantFrom<Call['areaCode']>('86', '86', '+49', undefined),
    outcome: fc.constantFrom('ALLOWED' as const, 'ALLOWED' as const, 'BLOCKED' as const),
  });
  const calls = fc.array(call, { minLength: 1, maxLength: 3 });
  const index = fc.nat({ max: 4 });
  const commands = [
    fc
      .tuple(number, fc.constantFrom(true, true, false), fc.constantFrom<VersionLag>(undefined, undefined, 0, 1))
      .map((parameters) => new AllowNumber(...parameters)),
    fc.tuple(number, fc.constant(true), fc.constant(undefined)).map((parameters) => new AllowNumber(...parameters)),
    index.map((parameters) => new DisallowNumber(parameters)),
    index.map((parameters) => new ExpireNumber(parameters)),
    fc.boolean().map((parameters) => new SetStrangerRule(parameters)),
    calls.map((parameters) => new Report([parameters])),
    // Sends the same report twice concurrently, as a watch does that received no response.
    calls.map((parameters) => new Report([parameters, parameters])),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (sequence) => {
      for (const table of ['settings_version', 'stranger_rule', 'allowed_number', 'blocked_call'])
        await environment.query(`delete from userctx.${table}`);
      await fc.asyncModelRun(() => ({ model: new Model(), real: null }), sequence);
    }),
    { numRuns: propertyRuns(5) },
  );
});

test('concurrent reports of calls from a number allowed once delete only this number and create one version', async () => {
  await environment.query('delete from userctx.settings_version');
  await environment.query('delete from userctx.allowed_number');
  const phoneNumber = '02155501234';
  await strangers.allow(family.owner, { did, areaCode: '86', phoneNumber });
  const { allowNumber } = await strangers.allow(family.owner, { did, areaCode: '86', phoneNumber, once: false });
  const time = Date.now();
  await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      reportCalls([{ time: time + index, phoneNumber, outcome: 'ALLOWED' }], index),
    ),
  );
  expect(await strangers.get(family.owner, did)).toMatchObject({ version: 3, allowNumbers: [allowNumber] });
});
