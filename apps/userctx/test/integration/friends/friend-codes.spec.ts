import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { FriendsService } from '../../../src/families/friends/friends.service.js';
import { outcomeOf, createBoundFamily, type BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let environment: WatchesTestEnvironment;
let replica: INestApplicationContext;
let friends: FriendsService;
let miasFamily: BoundFamilyFixture;
let leosFamily: BoundFamilyFixture;

beforeAll(async () => {
  environment = await WatchesTestEnvironment.open();
  // The outbox relay is disabled, because the tests would also count the events that follow from the binding.
  replica = await environment.replica({}, { isRelayDisabled: true });
  friends = replica.get(FriendsService);
  [miasFamily, leosFamily] = [await createFamily(), await createFamily()];
});
afterAll(() => environment.close());

const createFamily = () => createBoundFamily(environment, replica);
const errorWith = (reason: string) => expect.objectContaining({ reason });
const createCode = async ({ watch }: BoundFamilyFixture) => (await friends.createCode(watch.principal)).friendCode;
const requestFriendship = async (from: BoundFamilyFixture, to: BoundFamilyFixture) =>
  friends.requestFriendship(from.owner, { did: from.watch.did, friendCode: await createCode(to) });
const toReference = ({ watch: { did } }: BoundFamilyFixture, applicationId: string) => ({ did, applicationId });

describe('friend codes', () => {
  test.each([
    ['a guessed code', () => Promise.resolve('0123456789')],
    ['a malformed code', () => Promise.resolve('\u{1F980}')],
    ['the child’s own code', () => createCode(miasFamily)],
    [
      'a code that was replaced by a newer one',
      async () => {
        const replacedCode = await createCode(leosFamily);
        await createCode(leosFamily);
        return replacedCode;
      },
    ],
    [
      'an expired code',
      async () => {
        const code = await createCode(leosFamily);
        await environment.query('UPDATE userctx.friend_code SET expires_at = 1 WHERE did = $1', [leosFamily.watch.did]);
        return code;
      },
    ],
  ])('are required: a friend request with %s is rejected with CODE_INVALID', async (_, code) => {
    const request = { did: miasFamily.watch.did, friendCode: await code() };
    await expect(friends.requestFriendship(miasFamily.owner, request)).rejects.toEqual(errorWith('CODE_INVALID'));
  });

  test('are accepted in upper or lower case and with separators, and are not stored in plain text', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const code = await createCode(ben);
    const typedCode = `${code.slice(0, 5)} ${code.slice(5)}`.toLowerCase();
    expect(await friends.requestFriendship(ann.owner, { did: ann.watch.did, friendCode: typedCode })).toMatchObject({
      state: 'CONFIRMED',
    });
    const rows = await environment.query('SELECT * FROM userctx.friend_code');
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  test('are rejected with RATE_LIMITED after 20 wrong guesses', async () => {
    const { owner, watch } = await createFamily();
    const guess = () => friends.requestFriendship(owner, { did: watch.did, friendCode: '0123456789' });
    const reasons: string[] = [];
    for (let attempt = 0; attempt < 25; attempt += 1) {
      reasons.push(await outcomeOf(guess));
    }
    expect(reasons.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'CODE_INVALID'));
    expect(new Set(reasons.slice(20))).toEqual(new Set(['RATE_LIMITED']));
  });

  test('are not created for an unbound watch', async () => {
    const unboundWatch = await TestWatch.createEnrolled(replica);
    await expect(friends.createCode(unboundWatch.principal)).rejects.toEqual(errorWith('WATCH_UNBOUND'));
  });
});

describe('limits of friend requests', () => {
  test('reject further requests of a family after twenty requests that it withdrew', async () => {
    const [ann, ben] = [await createFamily(), await createFamily()];
    const reasons: string[] = [];
    for (let round = 0; round < 22; round += 1) {
      reasons.push(
        await outcomeOf(async () => {
          const { applicationId } = await requestFriendship(ann, ben);
          await friends.reject(ann.owner, toReference(ann, applicationId));
        }),
      );
    }
    expect(reasons).toEqual([...Array.from({ length: 20 }, () => 'ok'), 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  test('reject requests to and by a child with fifty friends, but a blocked child still gets CODE_INVALID', async () => {
    const [ann, ben, blocked] = [await createFamily(), await createFamily(), await createFamily()];
    const { applicationId } = await requestFriendship(blocked, ben);
    await friends.block(ben.owner, toReference(ben, applicationId));
    await environment.query(
      `INSERT INTO userctx.friendship
       SELECT gen_random_uuid(), least($1::uuid, other), greatest($1::uuid, other), $2::uuid, $2::uuid, 'ACCEPTED', 'A',
              1, false, false, 1, 0 FROM (SELECT gen_random_uuid() AS other FROM generate_series(1, 50)) others`,
      [ben.cid, ben.familyId],
    );
    await expect(requestFriendship(ann, ben)).rejects.toEqual(errorWith('LIMIT_REACHED'));
    await expect(requestFriendship(ben, ann)).rejects.toEqual(errorWith('LIMIT_REACHED'));
    await expect(requestFriendship(blocked, ben)).rejects.toEqual(errorWith('CODE_INVALID'));
    expect((await friends.list(ann.owner, ann.watch.did)).items).toEqual([]);
    expect(await environment.events('userctx.friend-application.changed', ann.familyId)).toEqual([]);
  });
});
