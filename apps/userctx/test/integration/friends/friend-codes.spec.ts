import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { FriendsService } from '../../../src/contexts/friends/friends.service.js';
import { outcomeOf, createBoundFamily } from '../../support/bound-family-fixture.js';
import type { BoundFamilyFixture } from '../../support/bound-family-fixture.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesTestEnvironment } from '../../support/watches-test-environment.js';

let world: WatchesTestEnvironment;
let replica: INestApplicationContext;
let friends: FriendsService;
let mia: BoundFamilyFixture;
let leo: BoundFamilyFixture;

beforeAll(async () => {
  world = await WatchesTestEnvironment.open();
  // The events of the binding would add to what is counted here.
  replica = await world.replica({}, { relay: true });
  friends = replica.get(FriendsService);
  [mia, leo] = [await settle(), await settle()];
});
afterAll(() => world.close());

const settle = () => createBoundFamily(world, replica);
const refused = (reason: string) => expect.objectContaining({ reason });
const codeOf = async ({ watch }: BoundFamilyFixture) => (await friends.createCode(watch.principal)).friendCode;
const apply = async (from: BoundFamilyFixture, to: BoundFamilyFixture) =>
  friends.requestFriendship(from.owner, { did: from.watch.did, friendCode: await codeOf(to) });
const about = ({ watch: { did } }: BoundFamilyFixture, applicationId: string) => ({ did, applicationId });

describe('codes (A16: without one nobody is asked anything)', () => {
  it.each([
    ['a guess', () => Promise.resolve('0123456789')],
    ['nonsense', () => Promise.resolve('\u{1F980}')],
    ['the own one', () => codeOf(mia)],
    [
      'one that a newer one ended',
      async () => {
        const old = await codeOf(leo);
        await codeOf(leo);
        return old;
      },
    ],
    [
      'one that has run out',
      async () => {
        const code = await codeOf(leo);
        await world.query('update userctx.friend_code set expires_at = 1 where did = $1', [leo.watch.did]);
        return code;
      },
    ],
  ])('%s opens nothing', async (_, code) => {
    const request = { did: mia.watch.did, friendCode: await code() };
    await expect(friends.requestFriendship(mia.owner, request)).rejects.toEqual(refused('CODE_INVALID'));
  });

  it('are read in any case and with gaps, and are not stored', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const code = await codeOf(ben);
    const typed = `${code.slice(0, 5)} ${code.slice(5)}`.toLowerCase();
    expect(await friends.requestFriendship(ann.owner, { did: ann.watch.did, friendCode: typed })).toMatchObject({
      state: 'CONFIRMED',
    });
    const rows = await world.query('select * from userctx.friend_code');
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('cannot be tried for ever, and the count stands although each try was refused', async () => {
    const { owner, watch } = await settle();
    const guess = () => friends.requestFriendship(owner, { did: watch.did, friendCode: '0123456789' });
    const reasons: string[] = [];
    for (let tries = 0; tries < 25; tries += 1) {
      reasons.push(await outcomeOf(guess));
    }
    expect(reasons.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'CODE_INVALID'));
    expect(new Set(reasons.slice(20))).toEqual(new Set(['RATE_LIMITED']));
  });

  it('an unbound watch gives none', async () => {
    const stray = await TestWatch.enrolled(replica);
    await expect(friends.createCode(stray.principal)).rejects.toEqual(refused('WATCH_UNBOUND'));
  });
});

describe('the limits', () => {
  it('who applies and takes it back over and over is stopped', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const reasons: string[] = [];
    for (let times = 0; times < 22; times += 1) {
      reasons.push(
        await outcomeOf(async () => {
          const { applicationId } = await apply(ann, ben);
          await friends.reject(ann.owner, about(ann, applicationId));
        }),
      );
    }
    expect(reasons).toEqual([...Array.from({ length: 20 }, () => 'ok'), 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('a full list takes nobody, and who is kept out does not learn of it', async () => {
    const [ann, ben, kept] = [await settle(), await settle(), await settle()];
    const { applicationId } = await apply(kept, ben);
    await friends.block(ben.owner, about(ben, applicationId));
    await world.query(
      `insert into userctx.friendship
       select gen_random_uuid(), least($1::uuid, other), greatest($1::uuid, other), $2::uuid, $2::uuid, 'ACCEPTED', 'A',
              1, false, false, 1, 0 from (select gen_random_uuid() as other from generate_series(1, 50)) others`,
      [ben.cid, ben.familyId],
    );
    await expect(apply(ann, ben)).rejects.toEqual(refused('LIMIT_REACHED'));
    await expect(apply(ben, ann)).rejects.toEqual(refused('LIMIT_REACHED'));
    await expect(apply(kept, ben)).rejects.toEqual(refused('CODE_INVALID'));
    expect((await friends.list(ann.owner, ann.watch.did)).items).toEqual([]);
    expect(await world.events('userctx.friend-application.changed', ann.familyId)).toEqual([]);
  });
});
