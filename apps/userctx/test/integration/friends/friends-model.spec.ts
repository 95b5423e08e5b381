import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { FriendsService } from '../../../src/contexts/friends/friends.service.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { FriendsModel } from './friends-model.js';
import type { FriendAction } from './friends-model.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let friends: FriendsService;
/** One entry per child. The first two children are siblings; the others have families of their own. */
let families: BoundFamilyFixture[];

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a step of the model delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  friends = replica.get(FriendsService);
  const first = await createBoundFamily(environment, replica);
  families = [first, await createBoundFamily(environment, replica, first.owner)];
  families.push(await createBoundFamily(environment, replica), await createBoundFamily(environment, replica));
});
afterAll(() => environment.close());

/** The children in the service under test. */
class Real {
  /** Friendship ids by pair name, for each pair with at least one friend request. */
  readonly friendshipIds = new Map<string, string>();

  family(child: number): BoundFamilyFixture {
    const family = families[child];
    if (!family) throw new Error('There are only four children');
    return family;
  }

  async bindNewWatch(child: number): Promise<void> {
    const family = this.family(child);
    family.watch = await TestWatch.createEnrolled(replica);
    await family.watch.bindTo(replica, family.owner, family.cid);
  }

  /** Deletes the child and publishes the deletion to all contexts. The friends context receives the event twice. */
  async remove(child: number): Promise<void> {
    const { owner, familyId, cid, watch } = this.family(child);
    await replica.get(ChildDeletionService).delete(owner, cid);
    const payload = { familyId, cid, by: `user:${owner.id}` as const, did: watch.did };
    const deletion = { name: 'userctx.child.deleted', payload } as const;
    const event = { ...deletion, id: crypto.randomUUID(), key: familyId, time: Date.now() };
    await environment.publish([event]);
    await environment.deliver(replica, 'userctx.friends.end-for-child-gone', deletion);
  }

  async restore(child: number): Promise<void> {
    const { owner, cid } = this.family(child);
    await replica.get(ChildDeletionService).restore(owner, cid);
    await this.bindNewWatch(child);
  }
}

/** Compares the list of friends of each existing child with the model. */
async function checkAgainstModel(model: FriendsModel, real: Real): Promise<void> {
  for (const child of model.existingChildren) {
    const { owner, watch } = real.family(child);
    const { items } = await friends.list(owner, watch.did);
    const listed = items.map(({ applicationId, state, applied, keptOut, friendDid }) => {
      return { applicationId, state, applied, keptOut, friendDid };
    });
    const expected = model.listFriends(child).map(({ pair, other, ...view }) => ({
      applicationId: real.friendshipIds.get(pair),
      ...view,
      friendDid: model.existingChildren.has(other) ? real.family(other).watch.did : null,
    }));
    expect(listed).toHaveLength(expected.length);
    expect(listed).toEqual(expect.arrayContaining(expected));
  }
  // The model does not cover the rate limit of attempts, so its counters are deleted.
  await environment.query('delete from userctx.attempt_counter');
}

abstract class Step implements fc.AsyncCommand<FriendsModel, Real> {
  check(_: Readonly<FriendsModel>): boolean {
    return true;
  }

  async run(model: FriendsModel, real: Real): Promise<void> {
    await this.execute(model, real);
    await checkAgainstModel(model, real);
  }

  protected abstract execute(model: FriendsModel, real: Real): Promise<void>;
}

class RequestFriendship extends Step {
  constructor(
    private readonly from: number,
    private readonly to: number,
    private readonly isByGuardian: boolean,
  ) {
    super();
  }

  protected override async execute(model: FriendsModel, real: Real): Promise<void> {
    const [own, other] = [real.family(this.from), real.family(this.to)];
    const outcome = await outcomeOf(async () => {
      const { friendCode } = await friends.createCode(other.watch.principal);
      const caller = this.isByGuardian ? own.owner : own.watch.principal;
      const { applicationId } = await friends.requestFriendship(caller, { did: own.watch.did, friendCode });
      real.friendshipIds.set(model.nameOf(this.from, this.to), applicationId);
    });
    expect(outcome).toBe(model.apply(this.from, this.to, this.isByGuardian));
  }

  override toString = () =>
    `${this.isByGuardian ? 'guardian' : 'watch'} of ${this.from} requests friendship with ${this.to}`;
}

class PerformAction extends Step {
  constructor(
    private readonly action: FriendAction,
    private readonly actor: number,
    private readonly other: number,
  ) {
    super();
  }

  protected override async execute(model: FriendsModel, real: Real): Promise<void> {
    const { owner, watch } = real.family(this.actor);
    const applicationId = real.friendshipIds.get(model.nameOf(this.actor, this.other)) ?? crypto.randomUUID();
    const outcome = await outcomeOf(() => friends[this.action](owner, { did: watch.did, applicationId }));
    expect(outcome).toBe(model.perform(this.action, this.actor, this.other));
  }

  override toString = () => `${this.actor}: ${this.action} ${this.other}`;
}

class DeleteChild extends Step {
  constructor(private readonly child: number) {
    super();
  }

  override check(model: Readonly<FriendsModel>): boolean {
    return model.existingChildren.has(this.child);
  }

  protected override async execute(model: FriendsModel, real: Real): Promise<void> {
    await real.remove(this.child);
    model.remove(this.child);
  }

  override toString = () => `${this.child} is deleted`;
}

class RestoreChild extends Step {
  constructor(private readonly child: number) {
    super();
  }

  override check(model: Readonly<FriendsModel>): boolean {
    return !model.existingChildren.has(this.child);
  }

  protected override async execute(model: FriendsModel, real: Real): Promise<void> {
    await real.restore(this.child);
    model.restore(this.child);
  }

  override toString = () => `${this.child} is restored`;
}

class ReplaceWatch extends Step {
  constructor(private readonly child: number) {
    super();
  }

  override check(model: Readonly<FriendsModel>): boolean {
    return model.existingChildren.has(this.child);
  }

  protected override async execute(_: FriendsModel, real: Real): Promise<void> {
    const { owner, watch } = real.family(this.child);
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    await real.bindNewWatch(this.child);
  }

  override toString = () => `${this.child} gets another watch`;
}

/** Checks the published events of each pair: versions increase, and the values of `active` are those of the model. */
async function checkEvents(model: FriendsModel, real: Real): Promise<void> {
  for (const [pair, friendshipId] of real.friendshipIds) {
    const events = await environment.query<{ version: number; active: boolean }>(
      `select (payload->>'version')::int as version, (payload->>'active')::boolean as active from userctx.outbox
        where name = 'userctx.friendship.changed' and payload->>'friendshipId' = $1 order by position`,
      [friendshipId],
    );
    expect(events.map(({ active }) => active)).toEqual(model.activeStatesOf(pair));
    expect(events.map(({ version }) => version)).toEqual(
      events.map(({ version }) => version).toSorted((a, b) => a - b),
    );
    expect(new Set(events.map(({ version }) => version)).size).toBe(events.length);
    // All events of a pair have the same key, which preserves their order.
    const keys = await environment.query(
      "select distinct key from userctx.outbox where $1 in (payload->>'friendshipId', payload->>'applicationId')",
      [friendshipId],
    );
    expect(keys).toHaveLength(1);
  }
}

test('two children are friends from the consent of both families until the end, for any sequence of actions', async () => {
  const child = fc.constantFrom(0, 1, 2, 3);
  // Most steps affect the same two children, so that sequences reach all states.
  const pairs = fc.constantFrom<[number, number]>([0, 2], [2, 0]);
  const action = fc.constantFrom<FriendAction>('confirm', 'confirm', 'confirm', 'reject', 'delete', 'block', 'unblock');
  const commands = [
    fc.tuple(pairs, fc.boolean()).map(([pair, isByGuardian]) => new RequestFriendship(...pair, isByGuardian)),
    pairs.map((pair) => new RequestFriendship(...pair, true)),
    fc.tuple(action, pairs).map(([name, pair]) => new PerformAction(name, ...pair)),
    fc.tuple(action, pairs).map(([name, pair]) => new PerformAction(name, ...pair)),
    fc
      .tuple(fc.constantFrom<FriendAction>('block', 'unblock'), pairs)
      .map(([name, pair]) => new PerformAction(name, ...pair)),
    fc.tuple(child, child, fc.boolean()).map((request) => new RequestFriendship(...request)),
    fc.tuple(action, child, child).map((parameters) => new PerformAction(...parameters)),
    child.map((index) => new DeleteChild(index)),
    child.map((index) => new RestoreChild(index)),
    child.map((index) => new ReplaceWatch(index)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max' }), async (sequence) => {
      await environment.query('delete from userctx.friendship');
      const [model, real] = [new FriendsModel(families.length), new Real()];
      try {
        await fc.asyncModelRun(() => ({ model, real }), sequence);
        await checkEvents(model, real);
      } finally {
        for (const index of families.keys()) if (!model.existingChildren.has(index)) await real.restore(index);
      }
    }),
    { numRuns: propertyRuns(8) },
  );
});
