import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import fc from 'fast-check';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { FriendsService } from '../../../src/contexts/friends/friends.service.js';
import { EndChildFriendshipsHandler } from '../../../src/contexts/friends/end-child-friendships.handler.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';
import { FriendsModel } from './friends-model.js';
import type { Answer } from './friends-model.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let friends: FriendsService;
/** The first two are siblings, the others of families of their own. */
let homes: BoundFamilyFixture[];

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The model says when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  friends = replica.get(FriendsService);
  const first = await createBoundFamily(world, replica);
  homes = [first, await createBoundFamily(world, replica, first.owner)];
  homes.push(await createBoundFamily(world, replica), await createBoundFamily(world, replica));
});
afterAll(() => world.close());

/** The children as they are, and how the pairs are called that have met. */
class Real {
  readonly ids = new Map<string, string>();

  home(child: number): BoundFamilyFixture {
    const home = homes[child];
    if (!home) throw new Error('There are four');
    return home;
  }

  async bindAnother(child: number): Promise<void> {
    const home = this.home(child);
    home.watch = await TestWatch.enrolled(replica);
    await home.watch.bindTo(replica, home.owner, home.cid);
  }

  /** DeletionDecision and what follows from it in every context; the bus may bring it twice. */
  async remove(child: number): Promise<void> {
    const { owner, familyId, cid, watch } = this.home(child);
    await replica.get(ChildDeletionService).delete(owner, cid);
    const payload = { familyId, cid, by: `user:${owner.id}` as const, did: watch.did };
    const fact = { name: 'userctx.child.deleted', payload } as const;
    const event = { ...fact, id: crypto.randomUUID(), key: familyId, time: Date.now() };
    await world.publish([event]);
    await world.deliver(replica, replica.get(EndChildFriendshipsHandler), fact);
  }

  async restore(child: number): Promise<void> {
    const { owner, cid } = this.home(child);
    await replica.get(ChildDeletionService).restore(owner, cid);
    await this.bindAnother(child);
  }
}

/** What each child that is there sees is what the model says it sees. */
async function check(model: FriendsModel, real: Real): Promise<void> {
  for (const child of model.present) {
    const { owner, watch } = real.home(child);
    const { items } = await friends.list(owner, watch.did);
    const seen = items.map(({ applicationId, state, applied, keptOut, friendDid }) => {
      return { applicationId, state, applied, keptOut, friendDid };
    });
    const expected = model.seenBy(child).map(({ pair, other, ...view }) => ({
      applicationId: real.ids.get(pair),
      ...view,
      friendDid: model.present.has(other) ? real.home(other).watch.did : null,
    }));
    expect(seen).toHaveLength(expected.length);
    expect(seen).toEqual(expect.arrayContaining(expected));
  }
  // Wrong codes are counted; the model is about the rest.
  await world.query('delete from userctx.attempt_counter');
}

abstract class Step implements fc.AsyncCommand<FriendsModel, Real> {
  check(_: Readonly<FriendsModel>): boolean {
    return true;
  }

  async run(model: FriendsModel, real: Real): Promise<void> {
    await this.take(model, real);
    await check(model, real);
  }

  protected abstract take(model: FriendsModel, real: Real): Promise<void>;
}

class Apply extends Step {
  constructor(
    private readonly from: number,
    private readonly to: number,
    private readonly guardian: boolean,
  ) {
    super();
  }

  protected override async take(model: FriendsModel, real: Real): Promise<void> {
    const [own, other] = [real.home(this.from), real.home(this.to)];
    const outcome = await outcomeOf(async () => {
      const { friendCode } = await friends.createCode(other.watch.principal);
      const by = this.guardian ? own.owner : own.watch.principal;
      const { applicationId } = await friends.requestFriendship(by, { did: own.watch.did, friendCode });
      real.ids.set(model.nameOf(this.from, this.to), applicationId);
    });
    expect(outcome).toBe(model.apply(this.from, this.to, this.guardian));
  }

  override toString = () => `${this.guardian ? 'guardian' : 'watch'} of ${this.from} applies to ${this.to}`;
}

class Say extends Step {
  constructor(
    private readonly what: Answer,
    private readonly by: number,
    private readonly of: number,
  ) {
    super();
  }

  protected override async take(model: FriendsModel, real: Real): Promise<void> {
    const { owner, watch } = real.home(this.by);
    const applicationId = real.ids.get(model.nameOf(this.by, this.of)) ?? crypto.randomUUID();
    const outcome = await outcomeOf(() => friends[this.what](owner, { did: watch.did, applicationId }));
    expect(outcome).toBe(model.answer(this.what, this.by, this.of));
  }

  override toString = () => `${this.by} says ${this.what} to ${this.of}`;
}

class DeleteChild extends Step {
  constructor(private readonly child: number) {
    super();
  }

  override check(model: Readonly<FriendsModel>): boolean {
    return model.present.has(this.child);
  }

  protected override async take(model: FriendsModel, real: Real): Promise<void> {
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
    return !model.present.has(this.child);
  }

  protected override async take(model: FriendsModel, real: Real): Promise<void> {
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
    return model.present.has(this.child);
  }

  protected override async take(_: FriendsModel, real: Real): Promise<void> {
    const { owner, watch } = real.home(this.child);
    await replica.get(WatchBindingService).unbind(owner, watch.did);
    await real.bindAnother(this.child);
  }

  override toString = () => `${this.child} gets another watch`;
}

/** What the other apps were told of each pair: versions rise, and activity goes on and off in turn as agreed. */
async function checkFacts(model: FriendsModel, real: Real): Promise<void> {
  for (const [pair, friendshipId] of real.ids) {
    const facts = await world.query<{ version: number; active: boolean }>(
      `select (payload->>'version')::int as version, (payload->>'active')::boolean as active from userctx.outbox
        where name = 'userctx.friendship.changed' and payload->>'friendshipId' = $1 order by position`,
      [friendshipId],
    );
    expect(facts.map(({ active }) => active)).toEqual(model.activityOf(pair));
    expect(facts.map(({ version }) => version)).toEqual(facts.map(({ version }) => version).toSorted((a, b) => a - b));
    expect(new Set(facts.map(({ version }) => version)).size).toBe(facts.length);
    // The order of what is said of a pair is kept because it has one key.
    const keys = await world.query(
      "select distinct key from userctx.outbox where $1 in (payload->>'friendshipId', payload->>'applicationId')",
      [friendshipId],
    );
    expect(keys).toHaveLength(1);
  }
}

it('children are friends from when both families agreed until it ends, by any way of several families', async () => {
  const child = fc.constantFrom(0, 1, 2, 3);
  // Mostly the same two, so that they get somewhere.
  const two = fc.constantFrom<[number, number]>([0, 2], [2, 0]);
  const answer = fc.constantFrom<Answer>('confirm', 'confirm', 'confirm', 'reject', 'delete', 'block', 'unblock');
  const commands = [
    fc.tuple(two, fc.boolean()).map(([of, guardian]) => new Apply(...of, guardian)),
    two.map((of) => new Apply(...of, true)),
    fc.tuple(answer, two).map(([what, of]) => new Say(what, ...of)),
    fc.tuple(answer, two).map(([what, of]) => new Say(what, ...of)),
    fc.tuple(fc.constantFrom<Answer>('block', 'unblock'), two).map(([what, of]) => new Say(what, ...of)),
    fc.tuple(child, child, fc.boolean()).map((of) => new Apply(...of)),
    fc.tuple(answer, child, child).map((of) => new Say(...of)),
    child.map((of) => new DeleteChild(of)),
    child.map((of) => new RestoreChild(of)),
    child.map((of) => new ReplaceWatch(of)),
  ];
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 50, size: 'max' }), async (sequence) => {
      await world.query('delete from userctx.friendship');
      const [model, real] = [new FriendsModel(homes.length), new Real()];
      try {
        await fc.asyncModelRun(() => ({ model, real }), sequence);
        await checkFacts(model, real);
      } finally {
        for (const gone of homes.keys()) if (!model.present.has(gone)) await real.restore(gone);
      }
    }),
    { numRuns: propertyRuns(8) },
  );
});
