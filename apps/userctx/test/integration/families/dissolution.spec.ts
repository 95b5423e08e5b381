import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/children/contracts/child';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { ChildErasureJob } from '../../../src/contexts/children/child-erasure.job.js';
import { FamilyErasureJob } from '../../../src/contexts/families/ownership/family-erasure.job.js';
import { outcome, rolesOf, createFamily, addMember } from '../../support/family-fixture.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment, PASSWORD } from '../../support/family-test-environment.js';
import type { Person } from '../../support/person.js';

let world: FamilyTestEnvironment;
let home: FamilyFixture;
let guardian: Person;

beforeAll(async () => {
  // The suite compares all events of a family: those that follow from others would come between them.
  world = await FamilyTestEnvironment.open({ relay: true });
});
afterAll(() => world.close());
beforeEach(async () => {
  home = await createFamily(world);
  guardian = await addMember(world, home);
});

const dissolve = (by = home.owner, more: object = { stepUp: { password: PASSWORD } }) =>
  by.post('family/dissolve', { familyId: home.familyId, ...more });
const restore = (by: Person) => by.post('child/restore', { cid: home.cid });
const invite = async () =>
  String((await home.owner.post('family/invitation/create', { familyId: home.familyId, role: 2 })).body['code']);

describe('dissolving a family', () => {
  test('tells what happened first, then that nobody belongs to it', async () => {
    const before = (await world.events(home.familyId)).length;
    expect(await dissolve()).toEqual({ status: 200, body: {} });
    const events = (await world.events(home.familyId)).slice(before);
    expect(events.map(({ name }) => name)).toEqual([
      'userctx.child.deleted',
      'userctx.watch.unbound',
      'userctx.family.dissolved',
      'userctx.family.changed',
    ]);
    expect(events[2]?.payload).toMatchObject({ by: `user:${home.owner.id}` });
    expect((events[2]?.payload['memberUserIds'] as string[]).toSorted()).toEqual(
      [home.owner.id, guardian.id].toSorted(),
    );
    expect(events[3]?.payload as unknown as FamilySnapshot).toMatchObject({
      dissolved: true,
      ownerUserId: home.owner.id,
      members: [],
      children: [],
    });
  });

  test('leaves nobody anything of it', async () => {
    await dissolve();
    for (const person of [home.owner, guardian]) {
      expect((await person.get('family/list')).body['items']).toEqual([]);
      expect((await person.get('child/get')).body['childList']).toEqual([]);
      expect(outcome(await person.get('child/detail', { cid: home.cid }))).toBe('CHILD_NOT_FOUND');
      expect(outcome(await person.get('family/member/list', { familyId: home.familyId }))).toBe('FAMILY_NOT_FOUND');
    }
    const { did } = home.watch;
    expect(outcome(await home.watch.get('device/contacts/list', { deviceId: did }))).toBe('WATCH_NOT_FOUND');
    expect(outcome(await home.watch.post('/apis/v2/userctx/watch/family-code/create', {}))).toBe('WATCH_UNBOUND');
    expect(outcome(await dissolve())).toBe('FAMILY_NOT_FOUND');
  });

  test('is the owner’s alone and needs a step-up', async () => {
    expect(outcome(await dissolve(guardian))).toBe('PERMISSION_MISSING');
    expect(outcome(await dissolve(home.owner, {}))).toBe('STEP_UP_REQUIRED');
    expect(outcome(await home.owner.get('child/detail', { cid: home.cid }))).toBe('ok');
  });

  test('ends what was under way: invitations, applications, a claim', async () => {
    const [code, applicant] = [await invite(), await world.person('Bo')];
    const { body } = await home.watch.post('/apis/v2/userctx/watch/family-code/create', {});
    const familyCode = body['familyCode'];
    await applicant.post('device/contacts/application/create', { familyCode });
    await guardian.post('family/ownership-claim/create', { familyId: home.familyId });
    await dissolve();
    expect(outcome(await guardian.post('family/invitation/accept', { code }))).toBe('INVITATION_INVALID');
    const late = await world.person();
    expect(outcome(await late.post('device/contacts/application/create', { familyCode }))).toBe('CODE_INVALID');
    const own = await applicant.get('device/contacts/application/list');
    expect(own.body['items']).toEqual([expect.objectContaining({ state: 'EXPIRED' })]);
    const claims = await world.events<{ state: string }>(home.familyId, 'userctx.ownership-claim.changed');
    expect(claims.map(({ payload }) => payload.state)).toEqual(['OPEN', 'WITHDRAWN']);
  });

  test('and joining at the same moment: nobody is a member of nothing', async () => {
    const guests = await Promise.all(Array.from({ length: 4 }, () => world.person()));
    const codes = [await invite(), await invite(), await invite(), await invite()];
    const [dissolved] = await Promise.all([
      dissolve(),
      ...guests.map((guest, index) => guest.post('family/invitation/accept', { code: codes[index] })),
    ]);
    expect(outcome(dissolved)).toBe('ok');
    expect(await rolesOf(world, home.familyId)).toEqual({});
  });
});

describe('after a family was dissolved', () => {
  test('its owner restores a child and has the family, the contacts and nobody else', async () => {
    await home.owner.post('device/contacts/create', {
      deviceId: home.watch.did,
      name: 'Grandma',
      phoneNumber: '13900001111',
      areaCode: '86',
    });
    await dissolve();
    for (const stranger of [guardian, await world.person()]) {
      expect(outcome(await restore(stranger))).toBe('CHILD_NOT_FOUND');
    }
    expect(outcome(await restore(home.owner))).toBe('ok');
    expect(outcome(await restore(home.owner))).toBe('ok');
    expect(await rolesOf(world, home.familyId)).toEqual({ [home.owner.id]: 1 });
    const [snapshot] = (await world.events<FamilySnapshot>(home.familyId, 'userctx.family.changed')).slice(-1);
    expect(snapshot?.payload).toMatchObject({ dissolved: false, children: [{ cid: home.cid, did: null }] });
    const again = await world.watchOf(home.familyId, home.cid);
    const { body } = await home.owner.get('device/contacts/list', { deviceId: again.did });
    expect(body['items']).toEqual([
      expect.objectContaining({ userId: home.owner.id, role: 1 }),
      expect.objectContaining({ name: 'Grandma' }),
    ]);
    await addMember(world, home);
    expect(outcome(await guardian.get('child/detail', { cid: home.cid }))).toBe('CHILD_NOT_FOUND');
  });

  test('the owner can own another; then the old one does not come back', async () => {
    await dissolve();
    const cid = await home.owner.createChild();
    expect(await home.owner.familyId()).not.toBe(home.familyId);
    expect(outcome(await restore(home.owner))).toBe('LIMIT_REACHED');
    expect(outcome(await home.owner.get('child/detail', { cid }))).toBe('ok');
    expect(await rolesOf(world, home.familyId)).toEqual({});
  });

  test('seven days later nothing of it is left, and nothing of families that stand is gone', async () => {
    await dissolve();
    const standing = await createFamily(world);
    const erase = async (now: number) => {
      await world.app.get(ChildErasureJob, { strict: false }).run(now);
      await world.app.get(FamilyErasureJob, { strict: false }).run(now);
    };
    await erase(Date.now() + CHILD_RESTORE_WINDOW_MS - 60_000);
    expect(outcome(await restore(home.owner))).toBe('ok');
    await dissolve();
    await erase(Date.now() + CHILD_RESTORE_WINDOW_MS + 1);
    expect(outcome(await restore(home.owner))).toBe('CHILD_NOT_FOUND');
    for (const table of ['family', 'family_invitation', 'family_application', 'ownership_claim', 'contact', 'child']) {
      expect(await world.query(`select 1 from userctx.${table} where family_id = $1`, [home.familyId])).toEqual([]);
    }
    expect(outcome(await standing.owner.get('child/detail', { cid: standing.cid }))).toBe('ok');
  });
});
