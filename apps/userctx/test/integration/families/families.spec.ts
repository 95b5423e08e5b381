import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { FamilyAccessService } from '../../../src/families/family-access.service.js';
import { FamilySnapshotsService } from '../../../src/families/family-snapshots.service.js';
import { MembershipsEventHandlers } from '../../../src/families/memberships/memberships.event-handlers.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx-infrastructure.js';
import { CHILD, type HttpResponse, type ApiClient } from '../../support/api-client.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';

let environment: FamilyTestEnvironment;

beforeAll(async () => {
  // The outbox relay is disabled: the suite compares all events of a family, and handlers would add events to them.
  environment = await FamilyTestEnvironment.open({ isRelayDisabled: true });
});
afterAll(() => environment.close());

const snapshotsOf = (familyId: string) => environment.events<FamilySnapshot>(familyId, 'userctx.family.changed');
const sortedStatuses = (responses: HttpResponse[]) => responses.map(({ status }) => status).toSorted();

async function createFamily(): Promise<{ owner: ApiClient; familyId: string; cid: string }> {
  const owner = await environment.createPerson('Anna');
  const cid = await owner.createChild();
  return { owner, familyId: await owner.familyId(), cid };
}

/** Creates an invitation and returns its code. */
async function invite(owner: ApiClient, familyId: string, body: object = { role: 2 }): Promise<string> {
  const { body: invitation } = await owner.post('family/invitation/create', { familyId, ...body });
  return String(invitation['code']);
}

describe('a family', () => {
  test('is created once when an owner creates several first children concurrently', async () => {
    const owner = await environment.createPerson();
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

  test('publishes its snapshot before the events of its first child', async () => {
    const { familyId, owner, cid } = await createFamily();
    const events = await environment.events(familyId);
    const by = `user:${owner.id}`;
    expect(events.map(({ name }) => name)).toEqual([
      'userctx.family.changed',
      'userctx.child.created',
      'userctx.contact.changed',
    ]);
    expect(events[1]?.payload).toEqual({ familyId, cid, by });
    const allPermissions = ['LOCATION', 'CHAT', 'CALL', 'ALERTS', 'SETTINGS', 'REMOTE', 'CLOUD'];
    expect(events[0]?.payload).toEqual({
      familyId,
      version: 1,
      ownerUserId: owner.id,
      dissolved: false,
      members: [{ userId: owner.id, role: 1, permissions: allPermissions, childPermissions: {} }],
      children: [{ cid, did: null }],
    });
  });

  test('has at most 20 children, also with concurrent requests', async () => {
    const owner = await environment.createPerson();
    const responses = await Promise.all(Array.from({ length: 24 }, () => owner.post('child/create', CHILD)));
    expect(sortedStatuses(responses)).toEqual([...Array<number>(20).fill(200), ...Array<number>(4).fill(409)]);
    expect(
      await environment.query('SELECT 1 FROM userctx.child WHERE family_id = $1', [await owner.familyId()]),
    ).toHaveLength(20);
  });

  test('publishes no snapshot of a rolled-back transaction, and gives the unused version to the next snapshot', async () => {
    const { familyId } = await createFamily();
    const [unitOfWork, snapshots] = [UserctxUnitOfWork, FamilySnapshotsService].map((token) =>
      environment.app.get<unknown>(token, { strict: false }),
    ) as [UserctxUnitOfWork, FamilySnapshotsService];
    const failing = unitOfWork.run(async () => {
      await snapshots.publish(familyId);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await unitOfWork.run(() => snapshots.publish(familyId));
    expect((await snapshotsOf(familyId)).map(({ payload }) => payload.version)).toEqual([1, 2]);
  });

  test('can be renamed by its owner only, and returns the same error to a stranger as an unknown family', async () => {
    const { owner, familyId } = await createFamily();
    const [guardian, stranger] = [await environment.createPerson(), await environment.createPerson()];
    await owner.addMember(guardian, { role: 2 });
    expect((await owner.post('family/update', { familyId, name: 'The Millers' })).status).toBe(200);
    expect((await guardian.post('family/update', { familyId, name: 'X' })).body['reason']).toBe('PERMISSION_MISSING');
    const strangerResponse = await stranger.post('family/update', { familyId, name: 'X' });
    expect(strangerResponse).toEqual(await stranger.post('family/update', { familyId: 'nonsense', name: 'X' }));
    expect(strangerResponse.body['reason']).toBe('FAMILY_NOT_FOUND');
    const { body } = await guardian.get('family/list');
    expect(body['items']).toEqual([expect.objectContaining({ familyId, name: 'The Millers', role: 2 })]);
  });
});

test('the members of a family get no avatar of a contact that would tell its host their address', async () => {
  const { owner, familyId } = await createFamily();
  for (const role of [3, 4]) {
    const person = await environment.createPerson();
    await person.post('family/invitation/accept', { code: await invite(owner, familyId, { role }) });
  }
  await environment.query(
    `UPDATE userctx.account SET avatar = 'http://example.com/a.jpg'
     WHERE user_id IN (SELECT user_id FROM userctx.family_member WHERE family_id = $1)`,
    [familyId],
  );
  const { body } = await owner.get('family/member/list', { familyId });
  expect(body['items']).toMatchObject([
    { role: 1, avatar: 'http://example.com/a.jpg' },
    { role: 3, avatar: 'http://example.com/a.jpg' },
    { role: 4, avatar: null },
  ]);
});

describe('an invitation', () => {
  test('shows everybody with its code who invites to which family and as what, until it is accepted', async () => {
    const { owner, familyId } = await createFamily();
    const guest = await environment.createPerson();
    const code = await invite(owner, familyId, { role: 3, appellation: 'Grandma' });
    expect((await guest.post('family/invitation/find', { code })).body).toEqual({
      familyName: expect.any(String),
      inviterName: expect.any(String),
      role: 3,
      appellation: 'Grandma',
      expireTime: expect.any(Number),
    });
    expect((await guest.post('family/invitation/accept', { code })).status).toBe(200);
    for (const invalid of [code, 'x'])
      expect((await guest.post('family/invitation/find', { code: invalid })).body['reason']).toBe('INVITATION_INVALID');
  });

  test('is accepted by one of several people who use its code concurrently, and is stored without the code', async () => {
    const { owner, familyId } = await createFamily();
    const code = await invite(owner, familyId);
    const guests = await Promise.all(Array.from({ length: 6 }, () => environment.createPerson()));
    const responses = await Promise.all(guests.map((guest) => guest.post('family/invitation/accept', { code })));
    expect(sortedStatuses(responses)).toEqual([200, 400, 400, 400, 400, 400]);
    expect(new Set(responses.map(({ body }) => body['reason']))).toEqual(new Set([undefined, 'INVITATION_INVALID']));
    const { body } = await owner.get('family/member/list', { familyId });
    expect(body['items']).toHaveLength(2);
    const stored = await environment.query('SELECT * FROM userctx.family_invitation WHERE family_id = $1', [familyId]);
    expect(JSON.stringify(stored)).not.toContain(code);
  });

  test('is rejected after 72 hours, after its cancellation and when it is unknown', async () => {
    const { owner, familyId } = await createFamily();
    const guest = await environment.createPerson();
    const expired = await invite(owner, familyId);
    await environment.query(`UPDATE userctx.family_invitation SET expires_at = $2 WHERE family_id = $1`, [
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
    const responses = [];
    for (const invalidCode of [expired, code, 'guessed']) {
      responses.push(JSON.stringify(await guest.post('family/invitation/accept', { code: invalidCode })));
    }
    expect(new Set(responses).size).toBe(1);
    expect(responses[0]).toContain('INVITATION_INVALID');
  });

  test('is not used up when a member of the family tries to accept it', async () => {
    const { owner, familyId } = await createFamily();
    const code = await invite(owner, familyId);
    expect((await owner.post('family/invitation/accept', { code })).body['reason']).toBe('ALREADY_MEMBER');
    expect((await (await environment.createPerson()).post('family/invitation/accept', { code })).status).toBe(200);
  });

  test('can be created only by the owner, and only for roles other than owner', async () => {
    const { owner, familyId } = await createFamily();
    const [guardian, stranger] = [await environment.createPerson(), await environment.createPerson()];
    await owner.addMember(guardian, { role: 2 });
    const createInvitation = (actor: ApiClient, role: number) =>
      actor.post('family/invitation/create', { familyId, role });
    expect((await createInvitation(guardian, 4)).body['reason']).toBe('PERMISSION_MISSING');
    expect((await createInvitation(stranger, 4)).body['reason']).toBe('FAMILY_NOT_FOUND');
    expect((await createInvitation(owner, 1)).body['reason']).toBe('ROLE_CHANGE_FORBIDDEN');
    expect((await owner.get('family/invitation/list', { familyId })).body['items']).toEqual([]);
  });
});

describe('a member', () => {
  test('has only those granted permissions that its role allows, per child and in the family snapshot', async () => {
    const { owner, familyId, cid } = await createFamily();
    const secondCid = await owner.createChild();
    const guest = await environment.createPerson();
    await owner.addMember(guest, { role: 3, permissions: [], childPermissions: { [cid]: ['LOCATION', 'SETTINGS'] } });
    const { body } = await guest.get('child/get');
    expect((body['childList'] as { cid: string }[]).map((child) => child.cid)).toEqual([cid]);
    expect((await guest.get('child/detail', { cid: secondCid })).body['reason']).toBe('PERMISSION_MISSING');
    const snapshot = (await snapshotsOf(familyId)).at(-1)?.payload;
    expect(snapshot?.members.at(-1)).toEqual({
      userId: guest.id,
      role: 3,
      permissions: [],
      childPermissions: { [cid]: ['LOCATION'] },
    });
  });

  test('sees the other members unless its role is contact', async () => {
    const { owner, familyId } = await createFamily();
    for (const [role, status] of [
      [2, 200],
      [3, 200],
      [4, 403],
    ]) {
      const member = await environment.createPerson();
      await owner.addMember(member, { role });
      expect((await member.get('family/member/list', { familyId })).status).toBe(status);
      expect((await member.get('family/list')).body['items']).toHaveLength(1);
    }
  });

  test('sees no location without the permission LOCATION', async () => {
    const { owner, cid } = await createFamily();
    const [permitted, unpermitted] = [await environment.createPerson(), await environment.createPerson()];
    await owner.addMember(permitted, { role: 3, permissions: ['LOCATION'] });
    await owner.addMember(unpermitted, { role: 3, permissions: ['CALL'] });
    await environment.query(
      `INSERT INTO userctx.child_location VALUES ($1, 1, 1790000000000, 1, '1.5', '2.5', 25, 0, 1)`,
      [cid],
    );
    const locationOf = async (person: ApiClient) => {
      const [child] = (await person.get('child/get')).body['childList'] as { lastLocation: unknown }[];
      return child?.lastLocation;
    };
    expect(await locationOf(permitted)).toMatchObject({ latitude: '1.5' });
    expect(await locationOf(unpermitted)).toBeNull();
  });

  test('can be changed and removed only by the owner, whom nobody can change or remove', async () => {
    const { owner, familyId } = await createFamily();
    const [guardian, other] = [await environment.createPerson(), await environment.createPerson()];
    await owner.addMember(guardian, { role: 2 });
    await owner.addMember(other, { role: 4 });
    for (const path of ['family/member/update', 'family/member/remove']) {
      const attempt = (person: ApiClient, userId: string) => person.post(path, { familyId, userId, role: 2 });
      expect((await attempt(guardian, other.id)).body['reason']).toBe('PERMISSION_MISSING');
      expect((await attempt(guardian, guardian.id)).body['reason']).toBe('PERMISSION_MISSING');
      expect((await attempt(guardian, owner.id)).body['reason']).toBe('PERMISSION_MISSING');
      expect((await attempt(owner, owner.id)).body['reason']).toBe('ROLE_CHANGE_FORBIDDEN');
      expect((await attempt(owner, 'nobody')).body['reason']).toBe('MEMBER_NOT_FOUND');
    }
    const promotion = await owner.post('family/member/update', { familyId, userId: other.id, role: 1 });
    expect(promotion.body['reason']).toBe('ROLE_CHANGE_FORBIDDEN');
    expect((await owner.post('family/leave', { familyId })).body['reason']).toBe('PERMISSION_MISSING');
    expect((await owner.post('family/member/remove', { familyId, userId: other.id })).status).toBe(200);
    expect((await owner.get('family/member/list', { familyId })).body['items']).toHaveLength(2);
  });

  test('is reported when the owner changes what it may do, and when the owner removes it', async () => {
    const { owner, familyId } = await createFamily();
    const guardian = await environment.createPerson();
    await owner.addMember(guardian, { role: 2 });
    const body = { familyId, userId: guardian.id };
    await owner.post('family/member/update', { ...body, role: 4 });
    await owner.post('family/member/remove', body);
    const events = await environment.events(familyId, 'userctx.member-access.changed');
    const change = { ...body, by: `user:${owner.id}`, time: expect.any(Number) };
    expect(events.map(({ payload }) => payload)).toEqual([
      { ...change, removed: false },
      { ...change, removed: true },
    ]);
  });

  test('cannot change a child after a concurrent request has removed the member', async () => {
    const { owner, familyId, cid } = await createFamily();
    const guardian = await environment.createPerson();
    await owner.addMember(guardian, { role: 2 });
    const [, ...updates] = await Promise.all([
      owner.post('family/member/remove', { familyId, userId: guardian.id }),
      ...Array.from({ length: 5 }, () => guardian.post('child/update', { ...CHILD, cid, name: 'By Ben' })),
    ]);
    const events = await environment.events(familyId);
    const removalIndex = events.findLastIndex(({ name }) => name === 'userctx.family.changed');
    const updateCount = events.filter(({ name }) => name === 'userctx.child.updated').length;
    expect(updateCount).toBe(updates.filter(({ status }) => status === 200).length);
    expect(events.slice(removalIndex).some(({ name }) => name === 'userctx.child.updated')).toBe(false);
  });

  test('whose account changes appears with the new name and phone number in every contact list', async () => {
    const { owner, familyId } = await createFamily();
    await environment.query(
      `UPDATE userctx.account SET nickname = 'Anna May', phone_number = '13777777777' WHERE user_id = $1`,
      [owner.id],
    );
    const unitOfWork = environment.app.get(UserctxUnitOfWork, { strict: false });
    const handlers = environment.app.get(MembershipsEventHandlers, { strict: false });
    const event = { id: owner.id, key: `user:${owner.id}`, time: 0, payload: { userId: owner.id } };
    await unitOfWork.run(() => handlers.syncMemberProfile({ ...event, name: 'userctx.profile.changed' }));
    const rows = await environment.query(
      'SELECT name, phone_number, appellation FROM userctx.contact WHERE user_id = $1',
      [owner.id],
    );
    expect(rows).toEqual([{ name: 'Anna May', phone_number: '13777777777', appellation: 'Anna' }]);
    expect((await environment.events(familyId)).at(-1)).toMatchObject({
      name: 'userctx.contact.changed',
      payload: { change: 'UPDATED' },
    });
  });
});

test('an access check inside a transaction locks the family until the transaction ends', async () => {
  const { owner, familyId, cid } = await createFamily();
  const guardian = await environment.createPerson();
  await owner.addMember(guardian, { role: 2 });
  const unitOfWork = environment.app.get(UserctxUnitOfWork, { strict: false });
  const access = environment.app.get(FamilyAccessService, { strict: false });
  let isRemoved = false;
  let removal: Promise<unknown> = Promise.resolve();
  await unitOfWork.run(async () => {
    await access.requireForChild({ type: 'user', id: guardian.id, sessionId: 's' }, cid, 'CHANGE_CHILD');
    removal = owner.post('family/member/remove', { familyId, userId: guardian.id }).then(() => (isRemoved = true));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isRemoved).toBe(false);
  });
  await removal;
  expect((await guardian.get('child/detail', { cid })).status).toBe(404);
});
