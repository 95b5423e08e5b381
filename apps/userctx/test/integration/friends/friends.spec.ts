import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { TestingModule } from '@nestjs/testing';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ChildDeletionService } from '../../../src/contexts/children/child-deletion.service.js';
import { FriendsService } from '../../../src/contexts/friends/friends.service.js';
import { OnChildGoneHandler } from '../../../src/contexts/friends/on-child-gone.handler.js';
import { WatchBindingService } from '../../../src/contexts/watches/binding/watch-binding.service.js';
import { outcomeOf, settleHome } from '../../support/bound-home.js';
import type { BoundHome } from '../../support/bound-home.js';
import { TestWatch } from '../../support/test-watch.js';
import { WatchesWorld } from '../../support/watches-world.js';

jest.setTimeout(60_000);

let world: WatchesWorld;
let replica: TestingModule;
let friends: FriendsService;
let mia: BoundHome;
let leo: BoundHome;

beforeAll(async () => {
  world = await WatchesWorld.open();
  replica = await world.replica();
  friends = replica.get(FriendsService);
  [mia, leo] = [await settle(), await settle()];
});
afterAll(() => world.close());

const settle = () => settleHome(world, replica);
const refused = (reason: string) => expect.objectContaining({ reason });
const codeOf = async ({ watch }: BoundHome) => (await friends.createCode(watch.principal)).friendCode;
const apply = async (from: BoundHome, to: BoundHome, by: Principal = from.owner) =>
  friends.apply(by, { did: from.watch.did, friendCode: await codeOf(to) });
const about = ({ watch: { did } }: BoundHome, applicationId: string) => ({ did, applicationId });

async function befriend(one: BoundHome, other: BoundHome): Promise<string> {
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
    const [fact] = await world.events('userctx.friendship.changed', ann.familyId);
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
    await expect(friends.apply(mia.owner, request)).rejects.toEqual(refused('CODE_INVALID'));
  });

  it('are read in any case and with gaps, and are not stored', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const code = await codeOf(ben);
    const typed = `${code.slice(0, 5)} ${code.slice(5)}`.toLowerCase();
    expect(await friends.apply(ann.owner, { did: ann.watch.did, friendCode: typed })).toMatchObject({
      state: 'CONFIRMED',
    });
    const rows = await world.query('select * from userctx.friend_code');
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('cannot be tried for ever, and the count stands although each try was refused', async () => {
    const { owner, watch } = await settle();
    const guess = () => friends.apply(owner, { did: watch.did, friendCode: '0123456789' });
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

describe('the end', () => {
  it('an ended friendship can begin again, with a higher version', async () => {
    const [ann, ben] = [await settle(), await settle()];
    const applicationId = await befriend(ann, ben);
    await friends.delete(ben.owner, about(ben, applicationId));
    await expect(friends.delete(ann.owner, about(ann, applicationId))).rejects.toEqual(refused('FRIEND_NOT_FOUND'));
    expect(await befriend(ben, ann)).toBe(applicationId);
    const facts = [
      ...(await world.events('userctx.friendship.changed', ann.familyId)),
      ...(await world.events('userctx.friendship.changed', ben.familyId)),
    ];
    expect(facts.map(({ version, active }) => [version, active])).toEqual([
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
    await world.deliver(replica, replica.get(OnChildGoneHandler), { name: 'userctx.child.deleted', payload });
    expect((await told(applicationId)).slice(3)).toEqual(['ENDED', 'active false']);
    await world.deliver(replica, replica.get(OnChildGoneHandler), {
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
