import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { StrangersService } from '../../../src/contexts/watch-settings/strangers.service.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { outcomeOf } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let strangers: StrangersService;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  strangers = replica.get(StrangersService);
});
afterAll(() => environment.close());

type WatchIndex = 0 | 1;
type Status = 'APPLIED' | 'REJECTED' | 'READ';

/** Model of one settings resource and its acknowledgements by the bound watch since it was bound. */
class Model {
  version = 0;
  enabled = true;
  boundWatch: WatchIndex | null = null;
  readonly publishedAcks: [number, Status][] = [];
  private acknowledgements: { version: number; status: Status }[] = [];

  change(enabled: boolean): void {
    if (enabled !== this.enabled) this.version += 1;
    this.enabled = enabled;
  }

  bind(watchIndex: WatchIndex | null): void {
    [this.boundWatch, this.acknowledgements] = [watchIndex, []];
  }

  acknowledge(watchIndex: WatchIndex, version: number, status: Status): void {
    if (watchIndex !== this.boundWatch || status === 'READ' || version < 1 || version > this.version) return;
    if (this.acknowledgements.some((before) => before.version > version)) return;
    const last = this.acknowledgements.at(-1);
    this.acknowledgements.push({ version, status });
    // An event is published only if the status of the newest version changes.
    if (version === this.version && (last?.version !== version || last.status !== status))
      this.publishedAcks.push([version, status]);
  }

  get status(): object {
    const { version } = this;
    if (version === 0) return { version, state: 'APPLIED', appliedVersion: 0, reason: null };
    const last = this.acknowledgements.at(-1);
    const appliedVersion = this.acknowledgements.findLast(({ status }) => status === 'APPLIED')?.version ?? null;
    if (last?.version !== version) return { version, state: 'PENDING', appliedVersion, reason: null };
    const reason = last.status === 'REJECTED' ? 'MEMORY_FULL' : null;
    return { version, state: last.status, appliedVersion, reason };
  }
}

/** The child, its owner, and two watches of which at most one is bound to the child. */
class Real {
  private constructor(
    readonly owner: Principal,
    readonly cid: string,
    readonly familyId: string,
    private readonly watches: readonly [TestWatch, TestWatch],
  ) {}

  static async create(): Promise<Real> {
    const owner = await environment.createPerson(replica);
    const cid = await environment.createChild(replica, owner);
    const watches = [await TestWatch.createEnrolled(replica), await TestWatch.createEnrolled(replica)] as const;
    return new Real(owner, cid, await environment.familyOf(cid), watches);
  }

  did(watchIndex: WatchIndex): number {
    return this.watches[watchIndex].did;
  }

  async bind(from: WatchIndex | null, to: WatchIndex | null): Promise<void> {
    if (from !== null) await replica.get(WatchBindingService).unbind(this.owner, this.did(from));
    // The service distinguishes bindings by their start time, so two bindings must not start in the same millisecond.
    await sleep(2);
    if (to !== null) await this.watches[to].bindTo(replica, this.owner, this.cid);
  }

  acknowledge(watchIndex: WatchIndex, version: number, status: Status, time: number): Promise<void> {
    const did = this.did(watchIndex);
    const ackFields = { messageId: crypto.randomUUID(), kind: 'RejectStrangerChangeNoticeMessage', status } as const;
    const payload = { ...ackFields, by: `watch:${did}` as const, did, cid: this.cid, version, reason: 'MEMORY_FULL' };
    const handler = 'userctx.watch-settings.keep-answers';
    return environment.deliver(replica, handler, { name: 'gateway.message.acknowledged', payload, time });
  }
}

async function checkAgainstModel(model: Model, real: Real): Promise<void> {
  for (const watchIndex of [0, 1] as const) {
    const readStatus = () => strangers.get(real.owner, real.did(watchIndex));
    if (watchIndex !== model.boundWatch) expect(await outcomeOf(readStatus)).toBe('WATCH_NOT_FOUND');
    else expect(await readStatus()).toMatchObject({ ...model.status, enabled: model.enabled });
  }
}

const watchIndex = fc.constantFrom<WatchIndex>(0, 1);

class ChangeSettings implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly enabled: boolean,
    /**
     * Number of versions by which the guardian's request is behind the current version; undefined if the request
     * contains no version.
     */
    private readonly versionLag: number | undefined,
  ) {}

  check({ boundWatch }: Readonly<Model>): boolean {
    return boundWatch !== null;
  }

  async run(model: Model, real: Real): Promise<void> {
    const version = this.versionLag === undefined ? undefined : Math.max(0, model.version - this.versionLag);
    const isStale = version !== undefined && version !== model.version;
    const request = {
      did: real.did(model.boundWatch ?? 0),
      enabled: this.enabled,
      ...(version === undefined ? {} : { version }),
    };
    expect(await outcomeOf(() => strangers.update(real.owner, request))).toBe(isStale ? 'VERSION_STALE' : 'ok');
    if (!isStale) model.change(this.enabled);
    await checkAgainstModel(model, real);
  }

  toString = () => `change(${this.enabled}, ${this.versionLag})`;
}

class BindWatch implements fc.AsyncCommand<Model, Real> {
  constructor(private readonly to: WatchIndex | null) {}

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    await real.bind(model.boundWatch, this.to);
    model.bind(this.to);
    await checkAgainstModel(model, real);
  }

  toString = () => `bind(${this.to})`;
}

class AcknowledgeVersion implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly from: WatchIndex,
    private readonly versionOffset: number,
    private readonly status: Status,
    /** Whether the acknowledgement was sent before the binding and is delivered late. */
    private readonly isLate: boolean,
  ) {}

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const version = model.version + this.versionOffset;
    await real.acknowledge(this.from, version, this.status, this.isLate ? 0 : Date.now());
    if (!this.isLate) model.acknowledge(this.from, version, this.status);
    await checkAgainstModel(model, real);
  }

  toString = () => `acknowledge(${this.from}, ${this.versionOffset}, ${this.status}${this.isLate ? ', late' : ''})`;
}

test('the settings status is the last acknowledgement of the newest version by the currently bound watch', async () => {
  const isLate = fc.integer({ min: 0, max: 4 }).map((value) => value === 0);
  const statuses = fc.constantFrom<Status>('APPLIED', 'APPLIED', 'REJECTED', 'READ');
  const commands = [
    fc
      .tuple(fc.boolean(), fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }))
      .map((parameters) => new ChangeSettings(...parameters)),
    fc.constantFrom<WatchIndex | null>(0, 0, 1, 1, null).map((to) => new BindWatch(to)),
    fc
      .tuple(watchIndex, fc.integer({ min: -2, max: 1 }), statuses, isLate)
      .map((parameters) => new AcknowledgeVersion(...parameters)),
    fc
      .tuple(watchIndex, fc.constantFrom(0, 0, -1), statuses, isLate)
      .map((parameters) => new AcknowledgeVersion(...parameters)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (sequence) => {
      const real = await Real.create();
      const model = new Model();
      await new BindWatch(0).run(model, real);
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      const publishedChanges = await environment.events('userctx.watch-settings.changed', real.familyId);
      expect(publishedChanges.map(({ version }) => version)).toEqual(
        Array.from({ length: model.version }, (_, index) => index + 1),
      );
      const answeredEvents = await environment.events('userctx.watch-settings.answered', real.familyId);
      expect(answeredEvents.map(({ version, state }) => [version, state])).toEqual(model.publishedAcks);
    }),
    { numRuns: propertyRuns(5) },
  );
});
