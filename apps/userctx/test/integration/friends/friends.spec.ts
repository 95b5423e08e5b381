import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { FriendsService } from '../../../src/contexts/friends/friends.service.js';
import { EndChildFriendshipsHandler } from '../../../src/contexts/friends/end-child-friendships.handler.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let friends: FriendsService;
let mia: BoundFamilyFixture;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The tests say when an event reaches its handlers.
  replica = await world.replica({}, { relay: true });
  friends = replica.get(FriendsService);
  mia = await settle();
});
afterAll(() => world.close());

const settle = () => createBoundFamily(world, replica);
const refused = (reason: string) => expect.objectContaining({ reason });
const codeOf = async ({ watch }: BoundFamilyFixture) => (await friends.createCode(watch.principal)).friendCode;
const apply = async (from: BoundFamilyFixture, to: BoundFamilyFixture, by: Principal = from.owner) =>
  friends.requestFriendship(by, { did: from.watch.did, friendCode: await codeOf(to) });
const about = ({ watch: { did } }: BoundFamilyFixture, applicationId: string) => ({ did, applicationId });

async function befriend(one: BoundFamilyFixture, other: BoundFamilyFixture): Promise<string> {
  const { applicationId } = await apply(one, other);
  await friends.confirm(other.owner, about(other, applicationId));
  return applicationId;
}

/** States and activity that the other apps heard of for one friendship, oldest first. */
async function told(friendshipId: string): Promise<string[]> {
  const rows = await world.query<{ said: string }>(
    `select coalesce(payload->>'state', 'active ' || (payload->>'active')) as said from userctx.outbox
      where payload->>'applicationId' = $1 or payload->>'friendshipId' = $1 order by position`,
    [friendshipId],
  );
  return rows.map(({ said }) => said);
}

/** What the other apps hear of a friendship; all of it by the key of one of the two families. */
async function facts(one: BoundFamilyFixture, other: BoundFamilyFixture) {
  const told = (familyId: string) => world.events('userctx.friendship.changed', familyId);
  const [ones, others] = [await told(one.familyId), await told(other.familyId)];
  expect([ones.length, others.length]).toContain(0);
  return [...ones, ...others];
}

describe('two families agree', () => {
  it('first the family of the child that asks, then the other one', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const asked = await apply(ann, ben, ann.watch.principal);
    expect(asked).toMatchObject({ state: 'APPLIED', applied: true, keptOut: false, friendDid: ben.watch.did });
    const { applicationId } = asked;
    await expect(friends.confirm(ben.owner, about(ben, applicationId))).rejects.toEqual(refused('CONFLICT'));
    expect(await friends.confirm(ann.owner, about(ann, applicationId))).toMatchObject({ state: 'CONFIRMED' });
    expect((await friends.list(ben.owner, ben.watch.did)).items).toMatchObject([
      { applicationId, state: 'CONFIRMED', applied: false, name: 'Mia', friendDid: ann.watch.did },
    ]);
    expect(await friends.confirm(ben.owner, about(ben, applicationId))).toMatchObject({ state: 'ACCEPTED' });
    expect(await told(applicationId)).toEqual(['APPLIED', 'CONFIRMED', 'ACCEPTED', 'active true']);
    const [fact] = await facts(ann, ben);
    expect(fact).toMatchObject({ friendshipId: applicationId, version: 3, active: true });
    expect(fact?.sides.toSorted((a, b) => a.cid.localeCompare(b.cid))).toEqual(
      [ann, ben]
        .map(({ familyId, cid, watch }) => ({ familyId, cid, did: watch.did }))
        .toSorted((a, b) => a.cid.localeCompare(b.cid)),
    );
  });

  it('saying it again changes nothing', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const applicationId = await befriend(ann, ben);
    await friends.confirm(ben.owner, about(ben, applicationId));
    await friends.confirm(ann.owner, about(ann, applicationId));
    expect(await apply(ben, ann)).toMatchObject({ applicationId, state: 'ACCEPTED' });
    expect(await told(applicationId)).toEqual(['CONFIRMED', 'ACCEPTED', 'active true']);
  });

  it('two who apply to each other at once are friends', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const [one, other] = await Promise.all([apply(ann, ben), apply(ben, ann)]);
    expect(one.applicationId).toBe(other.applicationId);
    expect((await friends.list(ann.owner, ann.watch.did)).items).toMatchObject([{ state: 'ACCEPTED' }]);
  });
});

describe('who was kept out stays out', () => {
  it.each(['reject', 'block'] as const)('%s: every code is wrong from then on', async (how) => {
    const [ann, ben] = [await settle(), await settle()];
    const { applicationId } = await apply(ann, ben);
    await friends[how](ben.owner, about(ben, applicationId));
    for (const by of [ann.owner, ann.watch.principal]) {
      await expect(apply(ann, ben, by)).rejects.toEqual(refused('CODE_INVALID'));
    }
    await expect(friends.confirm(ann.owner, about(ann, applicationId))).rejects.toEqual(refused('CONFLICT'));
    // The watch of the family that refused cannot undo it; its guardian can.
    await expect(apply(ben, ann, ben.watch.principal)).rejects.toEqual(refused('CODE_INVALID'));
    expect((await friends.list(ben.owner, ben.watch.did)).items).toMatchObject([{ state: 'REJECTED', keptOut: true }]);
    expect((await friends.list(ann.owner, ann.watch.did)).items).toEqual([]);
    expect(await apply(ben, ann)).toMatchObject({ state: 'CONFIRMED', applied: true, keptOut: false });
  });

  it('a blocked friend is told that it ended, and no more', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const applicationId = await befriend(ann, ben);
    await friends.block(ann.owner, about(ann, applicationId));
    await friends.block(ann.owner, about(ann, applicationId));
    await friends.block(ben.owner, about(ben, applicationId));
    expect((await told(applicationId)).slice(3)).toEqual(['ENDED', 'active false']);
  });
});

describe('whoever is let in again', () => {
  it.each(['reject', 'block'] as const)(
    'after %s may apply, and nobody but the own family hears of it',
    async (how) => {
      const [ann, ben] = [await settle(), await settle()];
      const { applicationId } = await apply(ann, ben);
      await friends[how](ben.owner, about(ben, applicationId));
      // The family that is kept out cannot let itself in.
      await friends.unblock(ann.owner, about(ann, applicationId));
      await expect(apply(ann, ben)).rejects.toEqual(refused('CODE_INVALID'));
      const before = await told(applicationId);
      await friends.unblock(ben.owner, about(ben, applicationId));
      await friends.unblock(ben.owner, about(ben, applicationId));
      expect(await told(applicationId)).toEqual(before);
      expect((await friends.list(ben.owner, ben.watch.did)).items).toEqual([]);
      expect(await apply(ann, ben, ann.watch.principal)).toMatchObject({ applicationId, state: 'APPLIED' });
    },
  );

  it('is not a friend again by it', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const applicationId = await befriend(ann, ben);
    await friends.block(ben.owner, about(ben, applicationId));
    await friends.unblock(ben.owner, about(ben, applicationId));
    await expect(friends.confirm(ben.owner, about(ben, applicationId))).rejects.toEqual(refused('CONFLICT'));
    expect((await told(applicationId)).at(-1)).toBe('active false');
  });
});

it.each(['reject', 'block'] as const)(
  'of an agreement and a %s at once, what remains is what was told',
  async (how) => {
    for (let round = 0; round < 5; round += 1) {
      const [ann, ben] = [await settle(), await settle()];
      const { applicationId } = await apply(ann, ben);
      await Promise.all([
        outcomeOf(() => friends.confirm(ben.owner, about(ben, applicationId))),
        outcomeOf(() => friends[how](ann.owner, about(ann, applicationId))),
      ]);
      const active = (await facts(ann, ben)).map((fact) => fact.active);
      const state = (await friends.list(ben.owner, ben.watch.did)).items[0]?.state;
      expect([active, state]).toEqual([
        active.length === 0 ? [] : active.length === 1 ? [true] : [true, false],
        active.length === 1 ? 'ACCEPTED' : undefined,
      ]);
      if (how === 'block') expect(state).toBeUndefined();
    }
  },
);

describe('the end', () => {
  it('an ended friendship can begin again, with a higher version', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const applicationId = await befriend(ann, ben);
    await friends.delete(ben.owner, about(ben, applicationId));
    await expect(friends.delete(ann.owner, about(ann, applicationId))).rejects.toEqual(refused('FRIEND_NOT_FOUND'));
    expect(await befriend(ben, ann)).toBe(applicationId);
    expect((await facts(ann, ben)).map(({ version, active }) => [version, active])).toEqual([
      [2, true],
      [3, false],
      [5, true],
    ]);
  });

  it('comes with the deletion of a child, not with an unbound watch', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const applicationId = await befriend(ann, ben);
    await replica.get(WatchBindingService).unbind(ben.owner, ben.watch.did);
    expect((await friends.list(ann.owner, ann.watch.did)).items).toMatchObject([
      { state: 'ACCEPTED', friendDid: null },
    ]);
    await replica.get(ChildDeletionService).delete(ben.owner, ben.cid);
    const payload = { familyId: ben.familyId, cid: ben.cid, by: `user:${ben.owner.id}` as const, did: null };
    await world.deliver(replica, replica.get(EndChildFriendshipsHandler), { name: 'userctx.child.deleted', payload });
    expect((await told(applicationId)).slice(3)).toEqual(['ENDED', 'active false']);
    await world.deliver(replica, replica.get(EndChildFriendshipsHandler), {
      name: 'userctx.child.erased',
      payload: { familyId: ben.familyId, cid: ben.cid },
    });
    expect(await world.query('select 1 from userctx.friendship where friendship_id = $1', [applicationId])).toEqual([]);
  });
});

it('a family that is not in it finds nothing, by any operation', async () => {
  const applicationId = await befriend(await settle(), await settle());
  for (const id of [applicationId, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
    const request = about(mia, id);
    await expect(friends.confirm(mia.owner, request)).rejects.toEqual(refused('APPLICATION_NOT_FOUND'));
    await expect(friends.reject(mia.owner, request)).rejects.toEqual(refused('APPLICATION_NOT_FOUND'));
    await expect(friends.delete(mia.owner, request)).rejects.toEqual(refused('FRIEND_NOT_FOUND'));
    await expect(friends.block(mia.owner, request)).rejects.toEqual(refused('FRIEND_NOT_FOUND'));
  }
});
