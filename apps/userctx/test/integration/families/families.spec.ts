import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { FamilyAccessService } from '../../../src/contexts/families/family-access.service.js';
import { FamilySnapshotsService } from '../../../src/contexts/families/family-snapshots.service.js';
import { SyncMemberProfileHandler } from '../../../src/contexts/memberships/members/sync-member-profile.handler.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';
import { CHILD } from '../../support/person.js';
import type { Answer, Person } from '../../support/person.js';

let world: FamilyTestEnvironment;

beforeAll(async () => {
  // The suite compares all events of a family: those that follow from others would come between them.
  world = await FamilyTestEnvironment.open({ relay: true });
});
afterAll(() => world.close());

const snapshotsOf = (familyId: string) => world.events<FamilySnapshot>(familyId, 'userctx.family.changed');
const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();

async function family(): Promise<{ owner: Person; familyId: string; cid: string }> {
  const owner = await world.person('Anna');
  const cid = await owner.createChild();
  return { owner, familyId: await owner.familyId(), cid };
}

async function invite(owner: Person, familyId: string, more: object = { role: 2 }): Promise<string> {
  const { body } = await owner.post('family/invitation/create', { familyId, ...more });
  return String(body['code']);
}

describe('a family', () => {
  test('two first children at once make one family with two children', async () => {
    const owner = await world.person();
    await Promise.all([owner.createChild(), owner.createChild(), owner.createChild()]);
    const { body } = await owner.get('family/list');
    expect(body['items']).toHaveLength(1);
    expect((await owner.get('child/get')).body['childList']).toHaveLength(3);
    const snapshots = await snapshotsOf(await owner.familyId());
    expect(snapshots.map(({ payload }) => [payload.version, payload.children.length])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test('its first child is told in order: who belongs, then what happened', async () => {
    const { familyId, owner, cid } = await family();
    const events = await world.events(familyId);
    const by = `user:${owner.id}`;
    expect(events.map(({ name }) => name)).toEqual([
      'userctx.family.changed',
      'userctx.child.created',
      'userctx.contact.changed',
    ]);
    expect(events[1]?.payload).toEqual({ familyId, cid, by });
    const all = ['LOCATION', 'CHAT', 'CALL', 'ALERTS', 'SETTINGS', 'REMOTE', 'CLOUD'];
    expect(events[0]?.payload).toEqual({
      familyId,
      version: 1,
      ownerUserId: owner.id,
      dissolved: false,
      members: [{ userId: owner.id, role: 1, permissions: all, childPermissions: {} }],
      children: [{ cid, did: null }],
    });
  });

  test('has at most 20 children, however many are created at once', async () => {
    const owner = await world.person();
    const answers = await Promise.all(Array.from({ length: 24 }, () => owner.post('child/create', CHILD)));
    expect(statuses(answers)).toEqual([...Array<number>(20).fill(200), ...Array<number>(4).fill(409)]);
    expect(
      await world.query('select 1 from userctx.child where family_id = $1', [await owner.familyId()]),
    ).toHaveLength(20);
  });

  test('a snapshot that is rolled back was never told, and its version is given again', async () => {
    const { familyId } = await family();
    const [unit, snapshots] = [UserctxUnitOfWork, FamilySnapshotsService].map((token) =>
      world.app.get<unknown>(token, { strict: false }),
    ) as [UserctxUnitOfWork, FamilySnapshotsService];
    const broken = unit.run(async () => {
      await snapshots.publish(familyId);
      throw new Error('later');
    });
    await expect(broken).rejects.toThrow('later');
    await unit.run(() => snapshots.publish(familyId));
    expect((await snapshotsOf(familyId)).map(({ payload }) => payload.version)).toEqual([1, 2]);
  });

  test('is renamed by its owner alone; A1: strangers see no family', async () => {
    const { owner, familyId } = await family();
    const [guardian, stranger] = [await world.person(), await world.person()];
    await owner.takeIn(guardian, { role: 2 });
    expect((await owner.post('family/update', { familyId, name: 'The Millers' })).status).toBe(200);
    expect((await guardian.post('family/update', { familyId, name: 'X' })).body['reason']).toBe('PERMISSION_MISSING');
    const foreign = await stranger.post('family/update', { familyId, name: 'X' });
    expect(foreign).toEqual(await stranger.post('family/update', { familyId: 'nonsense', name: 'X' }));
    expect(foreign.body['reason']).toBe('FAMILY_NOT_FOUND');
    const { body } = await guardian.get('family/list');
    expect(body['items']).toEqual([expect.objectContaining({ familyId, name: 'The Millers', role: 2 })]);
  });
});

describe('an invitation', () => {
  test('is accepted by one of many at once, and only its digest is stored', async () => {
    const { owner, familyId } = await family();
    const code = await invite(owner, familyId);
    const guests = await Promise.all(Array.from({ length: 6 }, () => world.person()));
    const answers = await Promise.all(guests.map((guest) => guest.post('family/invitation/accept', { code })));
    expect(statuses(answers)).toEqual([200, 400, 400, 400, 400, 400]);
    expect(new Set(answers.map(({ body }) => body['reason']))).toEqual(new Set([undefined, 'INVITATION_INVALID']));
    const { body } = await owner.get('family/member/list', { familyId });
    expect(body['items']).toHaveLength(2);
    const stored = await world.query('select * from userctx.family_invitation where family_id = $1', [familyId]);
    expect(JSON.stringify(stored)).not.toContain(code);
  });

  test('is nothing after 72 hours, after it was cancelled, or when it never was', async () => {
    const { owner, familyId } = await family();
    const guest = await world.person();
    const expired = await invite(owner, familyId);
    await world.query(`update userctx.family_invitation set expires_at = $2 where family_id = $1`, [
      familyId,
      Date.now() - 1,
    ]);
    const { body } = await owner.post('family/invitation/create', { familyId, role: 3 });
    const { invitationId, code, expireTime } = body as { invitationId: string; code: string; expireTime: number };
    expect(expireTime - Date.now()).toBeGreaterThan(72 * 3_600_000 - 60_000);
    const listed = (await owner.get('family/invitation/list', { familyId })).body['items'];
    expect(listed).toEqual([expect.objectContaining({ invitationId, role: 3 })]);
    expect((await owner.post('family/invitation/cancel', { familyId, invitationId })).status).toBe(200);
    expect((await owner.post('family/invitation/cancel', { familyId, invitationId })).status).toBe(404);
    const answers = [];
    for (const one of [expired, code, 'guessed']) {
      answers.push(JSON.stringify(await guest.post('family/invitation/accept', { code: one })));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('INVITATION_INVALID');
  });

  test('is not used up by who is a member already', async () => {
    const { owner, familyId } = await family();
    const code = await invite(owner, familyId);
    expect((await owner.post('family/invitation/accept', { code })).body['reason']).toBe('ALREADY_MEMBER');
    expect((await (await world.person()).post('family/invitation/accept', { code })).status).toBe(200);
  });

  test('A7: comes from the owner alone, and never makes an owner', async () => {
    const { owner, familyId } = await family();
    const [guardian, stranger] = [await world.person(), await world.person()];
    await owner.takeIn(guardian, { role: 2 });
    const ask = (by: Person, role: number) => by.post('family/invitation/create', { familyId, role });
    expect((await ask(guardian, 4)).body['reason']).toBe('PERMISSION_MISSING');
    expect((await ask(stranger, 4)).body['reason']).toBe('FAMILY_NOT_FOUND');
    expect((await ask(owner, 1)).body['reason']).toBe('ROLE_CHANGE_FORBIDDEN');
    expect((await owner.get('family/invitation/list', { familyId })).body['items']).toEqual([]);
  });
});

describe('a member', () => {
  test('gets what the role allows of what the owner gives, per child, in the snapshot', async () => {
    const { owner, familyId, cid } = await family();
    const second = await owner.createChild();
    const guest = await world.person();
    await owner.takeIn(guest, { role: 3, permissions: [], childPermissions: { [cid]: ['LOCATION', 'SETTINGS'] } });
    const { body } = await guest.get('child/get');
    expect((body['childList'] as { cid: string }[]).map((child) => child.cid)).toEqual([cid]);
    expect((await guest.get('child/detail', { cid: second })).body['reason']).toBe('PERMISSION_MISSING');
    const snapshot = (await snapshotsOf(familyId)).at(-1)?.payload;
    expect(snapshot?.members.at(-1)).toEqual({
      userId: guest.id,
      role: 3,
      permissions: [],
      childPermissions: { [cid]: ['LOCATION'] },
    });
  });

  test('sees the other members unless it is a contact, who only talks to the watch', async () => {
    const { owner, familyId } = await family();
    for (const [role, status] of [
      [2, 200],
      [3, 200],
      [4, 403],
    ]) {
      const member = await world.person();
      await owner.takeIn(member, { role });
      expect((await member.get('family/member/list', { familyId })).status).toBe(status);
      expect((await member.get('family/list')).body['items']).toHaveLength(1);
    }
  });

  test('sees no position without the permission', async () => {
    const { owner, cid } = await family();
    const [with_, without] = [await world.person(), await world.person()];
    await owner.takeIn(with_, { role: 3, permissions: ['LOCATION'] });
    await owner.takeIn(without, { role: 3, permissions: ['CALL'] });
    await world.query(`insert into userctx.child_location values ($1, 1, 1790000000000, 1, '1.5', '2.5', 25, 0, 1)`, [
      cid,
    ]);
    const position = async (person: Person) => {
      const [child] = (await person.get('child/get')).body['childList'] as { lastLocation: unknown }[];
      return child?.lastLocation;
    };
    expect(await position(with_)).toMatchObject({ latitude: '1.5' });
    expect(await position(without)).toBeNull();
  });

  test('is changed and removed by the owner alone; the owner by nobody', async () => {
    const { owner, familyId } = await family();
    const [guardian, other] = [await world.person(), await world.person()];
    await owner.takeIn(guardian, { role: 2 });
    await owner.takeIn(other, { role: 4 });
    for (const path of ['family/member/update', 'family/member/remove']) {
      const by = (person: Person, userId: string) => person.post(path, { familyId, userId, role: 2 });
      expect((await by(guardian, other.id)).body['reason']).toBe('PERMISSION_MISSING');
      expect((await by(guardian, guardian.id)).body['reason']).toBe('PERMISSION_MISSING');
      expect((await by(guardian, owner.id)).body['reason']).toBe('PERMISSION_MISSING');
      expect((await by(owner, owner.id)).body['reason']).toBe('ROLE_CHANGE_FORBIDDEN');
      expect((await by(owner, 'nobody')).body['reason']).toBe('MEMBER_NOT_FOUND');
    }
    const second = await owner.post('family/member/update', { familyId, userId: other.id, role: 1 });
    expect(second.body['reason']).toBe('ROLE_CHANGE_FORBIDDEN');
    expect((await owner.post('family/leave', { familyId })).body['reason']).toBe('PERMISSION_MISSING');
    expect((await owner.post('family/member/remove', { familyId, userId: other.id })).status).toBe(200);
    expect((await owner.get('family/member/list', { familyId })).body['items']).toHaveLength(2);
  });

  test('a change that has begun is finished or refused, never half: removal and update at once', async () => {
    const { owner, familyId, cid } = await family();
    const guardian = await world.person();
    await owner.takeIn(guardian, { role: 2 });
    const [, ...updates] = await Promise.all([
      owner.post('family/member/remove', { familyId, userId: guardian.id }),
      ...Array.from({ length: 5 }, () => guardian.post('child/update', { ...CHILD, cid, name: 'By Ben' })),
    ]);
    const events = await world.events(familyId);
    const removal = events.findLastIndex(({ name }) => name === 'userctx.family.changed');
    const changes = events.filter(({ name }) => name === 'userctx.child.updated').length;
    expect(changes).toBe(updates.filter(({ status }) => status === 200).length);
    expect(events.slice(removal).some(({ name }) => name === 'userctx.child.updated')).toBe(false);
  });

  test('a new name and number of the account reach every watch', async () => {
    const { owner, familyId } = await family();
    await world.query(
      `update userctx.account set nickname = 'Anna May', phone_number = '13777777777' where user_id = $1`,
      [owner.id],
    );
    const unit = world.app.get(UserctxUnitOfWork, { strict: false });
    const handler = world.app.get(SyncMemberProfileHandler, { strict: false });
    const event = { id: owner.id, key: `user:${owner.id}`, time: 0, payload: { userId: owner.id } };
    await unit.run(() => handler.handle({ ...event, name: 'userctx.profile.changed' }));
    const rows = await world.query('select name, phone_number, appellation from userctx.contact where user_id = $1', [
      owner.id,
    ]);
    expect(rows).toEqual([{ name: 'Anna May', phone_number: '13777777777', appellation: 'Anna' }]);
    expect((await world.events(familyId)).at(-1)).toMatchObject({
      name: 'userctx.contact.changed',
      payload: { change: 'UPDATED' },
    });
  });
});

test('access inside a unit of work holds the family still until the unit ends', async () => {
  const { owner, familyId, cid } = await family();
  const guardian = await world.person();
  await owner.takeIn(guardian, { role: 2 });
  const unit = world.app.get(UserctxUnitOfWork, { strict: false });
  const access = world.app.get(FamilyAccessService, { strict: false });
  let removed = false;
  let removal: Promise<unknown> = Promise.resolve();
  await unit.run(async () => {
    await access.requireForChild({ type: 'user', id: guardian.id, sessionId: 's' }, cid, 'CHANGE_CHILD');
    removal = owner.post('family/member/remove', { familyId, userId: guardian.id }).then(() => (removed = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(removed).toBe(false);
  });
  await removal;
  expect((await guardian.get('child/detail', { cid })).status).toBe(404);
});
