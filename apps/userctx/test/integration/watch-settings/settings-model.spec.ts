import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { RecordSettingsAckHandler } from '../../../src/contexts/watch-settings/versions/record-settings-ack.handler.js';
import { StrangersService } from '../../../src/contexts/watch-settings/strangers/strangers.service.js';
import { outcomeOf } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let strangers: StrangersService;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  strangers = replica.get(StrangersService);
});
afterAll(() => world.close());

type Side = 0 | 1;
type Status = 'APPLIED' | 'REJECTED' | 'READ';

/** Everything that was said in the binding of now; who said it, and when, is all that counts. */
class Model {
  version = 0;
  enabled = true;
  bound: Side | null = null;
  readonly told: [number, Status][] = [];
  private heard: { version: number; status: Status }[] = [];

  change(enabled: boolean): void {
    if (enabled !== this.enabled) this.version += 1;
    this.enabled = enabled;
  }

  bind(side: Side | null): void {
    [this.bound, this.heard] = [side, []];
  }

  acknowledge(side: Side, version: number, status: Status): void {
    if (side !== this.bound || status === 'READ' || version < 1 || version > this.version) return;
    if (this.heard.some((before) => before.version > version)) return;
    const last = this.heard.at(-1);
    this.heard.push({ version, status });
    // Told to the guardians: what is new, and about the newest version.
    if (version === this.version && (last?.version !== version || last.status !== status))
      this.told.push([version, status]);
  }

  get status(): object {
    const { version } = this;
    if (version === 0) return { version, state: 'APPLIED', appliedVersion: 0, reason: null };
    const last = this.heard.at(-1);
    const appliedVersion = this.heard.findLast(({ status }) => status === 'APPLIED')?.version ?? null;
    if (last?.version !== version) return { version, state: 'PENDING', appliedVersion, reason: null };
    const reason = last.status === 'REJECTED' ? 'MEMORY_FULL' : null;
    return { version, state: last.status, appliedVersion, reason };
  }
}

/** The child, its owner, and two watches of which at most one acts as the child. */
class Real {
  private constructor(
    readonly owner: Principal,
    readonly cid: string,
    readonly familyId: string,
    private readonly watches: readonly [TestWatch, TestWatch],
  ) {}

  static async settle(): Promise<Real> {
    const owner = await world.person(replica);
    const cid = await world.child(replica, owner);
    const watches = [await TestWatch.enrolled(replica), await TestWatch.enrolled(replica)] as const;
    return new Real(owner, cid, await world.familyOf(cid), watches);
  }

  did(side: Side): number {
    return this.watches[side].did;
  }

  async bind(from: Side | null, to: Side | null): Promise<void> {
    if (from !== null) await replica.get(WatchBindingService).unbind(this.owner, this.did(from));
    // Bindings are told apart by their millisecond.
    await sleep(2);
    if (to !== null) await this.watches[to].bindTo(replica, this.owner, this.cid);
  }

  acknowledge(side: Side, version: number, status: Status, time: number): Promise<void> {
    const did = this.did(side);
    const said = { messageId: crypto.randomUUID(), kind: 'RejectStrangerChangeNoticeMessage', status } as const;
    const payload = { ...said, by: `watch:${did}` as const, did, cid: this.cid, version, reason: 'MEMORY_FULL' };
    const handler = replica.get(RecordSettingsAckHandler);
    return world.deliver(replica, handler, { name: 'gateway.message.acknowledged', payload, time });
  }
}

async function check(model: Model, real: Real): Promise<void> {
  for (const side of [0, 1] as const) {
    const seen = () => strangers.get(real.owner, real.did(side));
    if (side !== model.bound) expect(await outcomeOf(seen)).toBe('WATCH_NOT_FOUND');
    else expect(await seen()).toMatchObject({ ...model.status, enabled: model.enabled });
  }
}

const side = fc.constantFrom<Side>(0, 1);

class Change implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly enabled: boolean,
    /** How far behind the version is that the parent has seen, or nothing is said of it. */
    private readonly behind: number | undefined,
  ) {}

  check({ bound }: Readonly<Model>): boolean {
    return bound !== null;
  }

  async run(model: Model, real: Real): Promise<void> {
    const version = this.behind === undefined ? undefined : Math.max(0, model.version - this.behind);
    const stale = version !== undefined && version !== model.version;
    const request = {
      did: real.did(model.bound ?? 0),
      enabled: this.enabled,
      ...(version === undefined ? {} : { version }),
    };
    expect(await outcomeOf(() => strangers.update(real.owner, request))).toBe(stale ? 'VERSION_STALE' : 'ok');
    if (!stale) model.change(this.enabled);
    await check(model, real);
  }

  toString = () => `change(${this.enabled}, ${this.behind})`;
}

class Bind implements fc.AsyncCommand<Model, Real> {
  constructor(private readonly to: Side | null) {}

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    await real.bind(model.bound, this.to);
    model.bind(this.to);
    await check(model, real);
  }

  toString = () => `bind(${this.to})`;
}

class Acknowledge implements fc.AsyncCommand<Model, Real> {
  constructor(
    private readonly from: Side,
    private readonly offset: number,
    private readonly status: Status,
    /** It was said before anything was bound, and arrives only now. */
    private readonly late: boolean,
  ) {}

  check = () => true;

  async run(model: Model, real: Real): Promise<void> {
    const version = model.version + this.offset;
    await real.acknowledge(this.from, version, this.status, this.late ? 0 : Date.now());
    if (!this.late) model.acknowledge(this.from, version, this.status);
    await check(model, real);
  }

  toString = () => `acknowledge(${this.from}, ${this.offset}, ${this.status}${this.late ? ', late' : ''})`;
}

it('what a parent sees is what the watch of now said last of the newest version, by any way', async () => {
  const rarely = fc.integer({ min: 0, max: 4 }).map((of) => of === 0);
  const statuses = fc.constantFrom<Status>('APPLIED', 'APPLIED', 'REJECTED', 'READ');
  const commands = [
    fc
      .tuple(fc.boolean(), fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }))
      .map((of) => new Change(...of)),
    fc.constantFrom<Side | null>(0, 0, 1, 1, null).map((to) => new Bind(to)),
    fc.tuple(side, fc.integer({ min: -2, max: 1 }), statuses, rarely).map((of) => new Acknowledge(...of)),
    fc.tuple(side, fc.constantFrom(0, 0, -1), statuses, rarely).map((of) => new Acknowledge(...of)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40, size: 'max' }), async (sequence) => {
      const real = await Real.settle();
      const model = new Model();
      await new Bind(0).run(model, real);
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      const told = await world.events('userctx.watch-settings.changed', real.familyId);
      expect(told.map(({ version }) => version)).toEqual(Array.from({ length: model.version }, (_, at) => at + 1));
      const answered = await world.events('userctx.watch-settings.answered', real.familyId);
      expect(answered.map(({ version, state }) => [version, state])).toEqual(model.told);
    }),
    { numRuns: propertyRuns(5) },
  );
});
