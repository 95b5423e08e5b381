import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { FriendsService } from '../../../src/families/friends/friends.service.js';
import { WatchBindingService } from '../../../src/watches/binding/watch-binding.service.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let friends: FriendsService;
let miasFamily: BoundFamilyFixture;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled: events reach handlers only when a test delivers them.
  replica = await environment.replica({}, { isRelayDisabled: true });
  friends = replica.get(FriendsService);
  miasFamily = await createFamily();
});
afterAll(() => environment.close());

const createFamily = () => createBoundFamily(environment, replica);
const errorWith = (reason: string) => expect.objectContaining({ reason });
const createCode = async ({ watch }: BoundFamilyFixture) => (await friends.createCode(watch.principal)).friendCode;
const requestFriendship = async (from: BoundFamilyFixture, to: BoundFamilyFixture, caller: Principal = from.owner) =>
  friends.requestFriendship(caller, { did: from.watch.did, friendCode: await createCode(to) });
const toReference = ({ watch: { did } }: BoundFamilyFixture, applicationId: string) => ({ did, applicationId });

async function createFriendship(first: BoundFamilyFixture, other: BoundFamilyFixture): Promise<string> {
  const { applicationId } = await requestFriendship(first, other);
  await friends.confirm(other.owner, toReference(other, applicationId));
  return applicationId;
}

/** Returns the published states (`APPLIED`, …) and changes of `active` of one friendship, oldest first. */
async function publishedChanges(friendshipId: string): Promise<string[]> {
  const rows = await environment.query<{ change: string; key: string }>(
    `SELECT coalesce(payload->>'state', 'active ' || (payload->>'active')) AS change, key FROM userctx.outbox
      WHERE payload->>'applicationId' = $1 OR payload->>'friendshipId' = $1 ORDER BY position`,
    [friendshipId],
  );
  // All events of a pair have the same key, which preserves their order.
  expect(new Set(rows.map(({ key }) => key)).size).toBe(1);
  return rows.map(({ change }) => change);
}

/** Returns the published friendship events, whose key is one of the two families. */
async function friendshipEvents(first: BoundFamilyFixture, other: BoundFamilyFixture) {
  const eventsOf = (familyId: string) => environment.events('userctx.friendship.changed', familyId);
  return [...(await eventsOf(first.familyId)), ...(await eventsOf(other.familyId))];
}

describe('friendship', () => {
  test('requires the consent of the applicant’s family and then of the other family', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const request = await requestFriendship(ann, ben, ann.watch.principal);
    expect(request).toMatchObject({ state: 'APPLIED', applied: true, keptOut: false, friendDid: ben.watch.did });
    const { applicationId } = request;
    await expect(friends.confirm(ben.owner, toReference(ben, applicationId))).rejects.toEqual(errorWith('CONFLICT'));
    expect(await friends.confirm(ann.owner, toReference(ann, applicationId))).toMatchObject({ state: 'CONFIRMED' });
    expect((await friends.list(ben.owner, ben.watch.did)).items).toMatchObject([
      { applicationId, state: 'CONFIRMED', applied: false, name: 'Mia', friendDid: ann.watch.did },
    ]);
    expect(await friends.confirm(ben.owner, toReference(ben, applicationId))).toMatchObject({ state: 'ACCEPTED' });
    expect(await publishedChanges(applicationId)).toEqual(['APPLIED', 'CONFIRMED', 'ACCEPTED', 'active true']);
    const [event] = await friendshipEvents(ann, ben);
    expect(event).toMatchObject({ friendshipId: applicationId, version: 3, active: true });
    expect(event?.sides.toSorted((a, b) => a.cid.localeCompare(b.cid))).toEqual(
      [ann, ben]
        .map(({ familyId, cid, watch }) => ({ familyId, cid, did: watch.did }))
        .toSorted((a, b) => a.cid.localeCompare(b.cid)),
    );
  });

  test('does not change when requests and confirmations are repeated', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const applicationId = await createFriendship(ann, ben);
    await friends.confirm(ben.owner, toReference(ben, applicationId));
    await friends.confirm(ann.owner, toReference(ann, applicationId));
    expect(await requestFriendship(ben, ann)).toMatchObject({ applicationId, state: 'ACCEPTED' });
    expect(await publishedChanges(applicationId)).toEqual(['CONFIRMED', 'ACCEPTED', 'active true']);
  });

  test('of siblings also needs two confirmations, one for each child', async () => {
    const ann = await createFamily();
    const sibling = await createBoundFamily(environment, replica, ann.owner);
    const { applicationId } = await requestFriendship(ann, sibling);
    await friends.confirm(ann.owner, toReference(ann, applicationId));
    expect((await friends.list(ann.owner, ann.watch.did)).items).toMatchObject([{ state: 'CONFIRMED', applied: true }]);
    await friends.confirm(ann.owner, toReference(sibling, applicationId));
    expect(await publishedChanges(applicationId)).toEqual(['CONFIRMED', 'ACCEPTED', 'active true']);
  });

  test('is accepted when two guardians request it concurrently', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const [first, second] = await Promise.all([requestFriendship(ann, ben), requestFriendship(ben, ann)]);
    expect(first.applicationId).toBe(second.applicationId);
    expect((await friends.list(ann.owner, ann.watch.did)).items).toMatchObject([{ state: 'ACCEPTED' }]);
  });
});

describe('a blocked child', () => {
  test.each(['reject', 'block'] as const)('is rejected with CODE_INVALID for new codes after %s', async (action) => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const { applicationId } = await requestFriendship(ann, ben);
    await friends[action](ben.owner, toReference(ben, applicationId));
    for (const caller of [ann.owner, ann.watch.principal]) {
      await expect(requestFriendship(ann, ben, caller)).rejects.toEqual(errorWith('CODE_INVALID'));
    }
    await expect(friends.confirm(ann.owner, toReference(ann, applicationId))).rejects.toEqual(errorWith('CONFLICT'));
    // The watch of the rejecting family cannot undo the block; its guardian can.
    await expect(requestFriendship(ben, ann, ben.watch.principal)).rejects.toEqual(errorWith('CODE_INVALID'));
    expect((await friends.list(ben.owner, ben.watch.did)).items).toMatchObject([{ state: 'REJECTED', keptOut: true }]);
    expect((await friends.list(ann.owner, ann.watch.did)).items).toEqual([]);
    expect(await requestFriendship(ben, ann)).toMatchObject({ state: 'CONFIRMED', applied: true, keptOut: false });
  });

  test('causes one event ENDED if it was a friend, and no event when it is blocked again', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const applicationId = await createFriendship(ann, ben);
    await friends.block(ann.owner, toReference(ann, applicationId));
    await friends.block(ann.owner, toReference(ann, applicationId));
    await friends.block(ben.owner, toReference(ben, applicationId));
    expect((await publishedChanges(applicationId)).slice(3)).toEqual(['ENDED', 'active false']);
  });
});

describe('an unblocked child', () => {
  test.each(['reject', 'block'] as const)(
    'can send a friend request again after %s and unblock, and unblocking publishes no event',
    async (action) => {
      const [ann, ben] = [await createFamily(), await createFamily()];
      const { applicationId } = await requestFriendship(ann, ben);
      await friends[action](ben.owner, toReference(ben, applicationId));
      // The blocked family cannot unblock itself.
      await friends.unblock(ann.owner, toReference(ann, applicationId));
      await expect(requestFriendship(ann, ben)).rejects.toEqual(errorWith('CODE_INVALID'));
      const before = await publishedChanges(applicationId);
      await friends.unblock(ben.owner, toReference(ben, applicationId));
      await friends.unblock(ben.owner, toReference(ben, applicationId));
      expect(await publishedChanges(applicationId)).toEqual(before);
      expect((await friends.list(ben.owner, ben.watch.did)).items).toEqual([]);
      expect(await requestFriendship(ann, ben, ann.watch.principal)).toMatchObject({ applicationId, state: 'APPLIED' });
    },
  );
});

test.each(['reject', 'block'] as const)(
  'concurrent confirm and %s result in the state of the last published event',
  async (action) => {
    for (let round = 0; round < 5; round += 1) {
      const [ann, ben] = [await createFamily(), await createFamily()];
      const { applicationId } = await requestFriendship(ann, ben);
      await Promise.all([
        outcomeOf(() => friends.confirm(ben.owner, toReference(ben, applicationId))),
        outcomeOf(() => friends[action](ann.owner, toReference(ann, applicationId))),
      ]);
      const active = (await friendshipEvents(ann, ben)).map((event) => event.active);
      const state = (await friends.list(ben.owner, ben.watch.did)).items[0]?.state;
      expect([active, state]).toEqual([
        active.length === 0 ? [] : active.length === 1 ? [true] : [true, false],
        active.length === 1 ? 'ACCEPTED' : undefined,
      ]);
      if (action === 'block') expect(state).toBeUndefined();
    }
  },
);

describe('the end of a friendship', () => {
  test('allows a new friendship, whose events have higher versions', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const applicationId = await createFriendship(ann, ben);
    await friends.delete(ben.owner, toReference(ben, applicationId));
    await expect(friends.delete(ann.owner, toReference(ann, applicationId))).rejects.toEqual(
      errorWith('FRIEND_NOT_FOUND'),
    );
    expect(await createFriendship(ben, ann)).toBe(applicationId);
    expect((await friendshipEvents(ann, ben)).map(({ version, active }) => [version, active])).toEqual([
      [2, true],
      [3, false],
      [5, true],
    ]);
  });

  const publishDeletion = ({ owner, familyId, cid, watch }: BoundFamilyFixture) => {
    const payload = { familyId, cid, by: `user:${owner.id}` as const, did: watch.did };
    const event = { id: crypto.randomUUID(), key: familyId, time: Date.now(), payload };
    return environment.publish([{ ...event, name: 'userctx.child.deleted' }]);
  };

  test('is not undone when the child is restored, and neither is a block', async () => {
    const [ann, ben, blocking] = [await createFamily(), await createFamily(), await createFamily()];
    const applicationId = await createFriendship(ann, ben);
    const blocked = await requestFriendship(ben, blocking);
    await friends.block(blocking.owner, toReference(blocking, blocked.applicationId));
    await replica.get(ChildDeletionService).delete(ben.owner, ben.cid);
    await publishDeletion(ben);
    await expect(requestFriendship(ann, ben)).rejects.toEqual(errorWith('WATCH_UNBOUND'));
    await replica.get(ChildDeletionService).restore(ben.owner, ben.cid);
    ben.watch = await TestWatch.createEnrolled(replica);
    await ben.watch.bindTo(replica, ben.owner, ben.cid);
    expect((await friends.list(ben.owner, ben.watch.did)).items).toEqual([]);
    await expect(requestFriendship(ben, blocking)).rejects.toEqual(errorWith('CODE_INVALID'));
    expect(await createFriendship(ann, ben)).toBe(applicationId);
    expect((await friends.list(ann.owner, ann.watch.did)).items).toMatchObject([
      { state: 'ACCEPTED', friendDid: ben.watch.did },
    ]);
  });

  test('is caused by the deletion of a child, but not by the unbinding of a watch', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const applicationId = await createFriendship(ann, ben);
    await replica.get(WatchBindingService).unbind(ben.owner, ben.watch.did);
    expect((await friends.list(ann.owner, ann.watch.did)).items).toMatchObject([
      { state: 'ACCEPTED', friendDid: null },
    ]);
    await replica.get(ChildDeletionService).delete(ben.owner, ben.cid);
    for (const _ of ['once', 'repeated']) await publishDeletion(ben);
    expect((await publishedChanges(applicationId)).slice(3)).toEqual(['ENDED', 'active false']);
    await environment.deliverErasure(replica, 'userctx.friends.end-for-deleted-child', ben);
    expect(
      await environment.query('SELECT 1 FROM userctx.friendship WHERE friendship_id = $1', [applicationId]),
    ).toEqual([]);
  });
});

test('every operation returns to another family the same error as for an unknown friendship', async () => {
  const applicationId = await createFriendship(await createFamily(), await createFamily());
  for (const id of [applicationId, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
    const request = toReference(miasFamily, id);
    await expect(friends.confirm(miasFamily.owner, request)).rejects.toEqual(errorWith('APPLICATION_NOT_FOUND'));
    await expect(friends.reject(miasFamily.owner, request)).rejects.toEqual(errorWith('APPLICATION_NOT_FOUND'));
    await expect(friends.delete(miasFamily.owner, request)).rejects.toEqual(errorWith('FRIEND_NOT_FOUND'));
    await expect(friends.block(miasFamily.owner, request)).rejects.toEqual(errorWith('FRIEND_NOT_FOUND'));
    await expect(friends.unblock(miasFamily.owner, request)).rejects.toEqual(errorWith('FRIEND_NOT_FOUND'));
  }
});
