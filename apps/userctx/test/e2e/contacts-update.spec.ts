import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FamilyTestEnvironment } from '../support/family-test-environment.js';
import { CHILD, type ApiClient } from '../support/api-client.js';

const UPDATE_PATH = '/hmd-wx/api/v2/userctx/user/device/contacts/update';
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

interface Contact {
  refId: string;
  userId?: string;
  role: number;
  appellation: string;
}

let environment: FamilyTestEnvironment;
let owner: ApiClient;
let cid: string;
let familyId: string;
let watch: ApiClient & { did: number };

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
});
afterAll(() => environment.close());
beforeEach(async () => {
  owner = await environment.createPerson('Anna');
  cid = await owner.createChild();
  familyId = await owner.familyId();
  watch = await environment.createBoundWatch(familyId, cid);
});

async function contacts(reader: ApiClient = owner): Promise<Contact[]> {
  const { body } = await reader.get('device/contacts/list', { deviceId: watch.did });
  return body['items'] as Contact[];
}

async function contactOf(person: ApiClient): Promise<Contact> {
  const found = (await contacts()).find(({ userId }) => userId === person.id);
  if (!found) throw new Error('The contact list does not contain this person');
  return found;
}

async function createGrandma(): Promise<Contact> {
  const fields = { deviceId: watch.did, name: 'Grandma', phoneNumber: '13900001111', areaCode: '86' };
  const { body } = await owner.post('device/contacts/create', fields);
  return body as unknown as Contact;
}

describe('the phone number of a contact', () => {
  test.each([
    ['86', '010-8888 8888', '+86', '1088888888'],
    ['0086', '110', '+86', '110'],
    ['+49', '030 123456', '+49', '30123456'],
    ['+44', '07911 123456', '+44', '7911123456'],
  ])('%s %s is stored as %s %s', async (areaCode, phoneNumber, storedCode, storedNumber) => {
    const fields = { deviceId: watch.did, name: 'Grandma', phoneNumber, areaCode };
    const { status, body } = await owner.post('device/contacts/create', fields);
    expect([status, body['areaCode'], body['phoneNumber']]).toEqual([200, storedCode, storedNumber]);
  });

  test.each([
    ['China', '13900001111', 'areaCode'],
    ['+86', '12', 'phoneNumber'],
    ['+49', 'home', 'phoneNumber'],
  ])('%s %s is refused', async (areaCode, phoneNumber, field) => {
    const fields = { deviceId: watch.did, name: 'Grandma', phoneNumber, areaCode };
    const { status, body } = await owner.post('device/contacts/create', fields);
    expect([status, body['details']]).toEqual([400, [expect.objectContaining({ field })]]);
  });

  test('is checked together with the stored calling code when an update omits the calling code', async () => {
    const { refId } = await createGrandma();
    const update = (change: object) => owner.post('device/contacts/update', { deviceId: watch.did, refId, ...change });
    expect((await update({ areaCode: '+45' })).body['details']).toEqual([
      expect.objectContaining({ field: 'phoneNumber', rule: 'isPhoneNumber' }),
    ]);
    expect((await update({ areaCode: '+45', phoneNumber: '32 12 34 56' })).status).toBe(200);
    expect((await update({ phoneNumber: '40 12 34 56' })).body).toMatchObject({
      areaCode: '+45',
      phoneNumber: '40123456',
    });
  });
});

describe('updating a contact (specification 4.3)', () => {
  test('changes the fields of specification 2.6 and returns the contact in an envelope', async () => {
    const { refId } = await createGrandma();
    const body = { deviceId: watch.did, appellation: 'Nana', identityType: 4, role: 3, refId };
    const response = await owner.post(UPDATE_PATH, body);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      code: 0,
      message: 'ok',
      data: {
        refId,
        cid,
        name: 'Grandma',
        phoneNumber: '13900001111',
        areaCode: '+86',
        appellation: 'Nana',
        identityType: 4,
        role: 3,
        sosOrder: 2,
        canCall: true,
        canChat: false,
        canVideo: false,
        schoolAllowed: false,
      },
    });
    expect(await contacts()).toContainEqual(response.body['data']);
  });

  test('publishes an event with the next version of the contact list, and none when nothing changes', async () => {
    const { refId } = await createGrandma();
    const before = await environment.events<{ version: number }>(familyId, 'userctx.contact.changed');
    await owner.post(UPDATE_PATH, { deviceId: watch.did, refId, appellation: 'Nana' });
    await owner.post(UPDATE_PATH, { deviceId: watch.did, refId, appellation: 'Nana' });
    const after = await environment.events<{ version: number }>(familyId, 'userctx.contact.changed');
    const version = (before.at(-1)?.payload.version ?? 0) + 1;
    const expected = { familyId, cid, did: watch.did, refId, change: 'UPDATED', version, by: `user:${owner.id}` };
    expect(after.slice(before.length).map(({ payload }) => payload)).toEqual([expected]);
    expect((await owner.get('device/contacts/list', { deviceId: watch.did })).body['version']).toBe(version);
  });

  test('returns 400 for invalid fields, besides those of the clauses of specification 2.6', async () => {
    const { refId } = await contactOf(owner);
    for (const invalidFields of [
      { deviceId: undefined },
      { refId: undefined },
      { identityType: 7 },
      { identityType: -1 },
      { role: 0 },
      { role: 5 },
      { areaCode: '+999' },
      { areaCode: '13900000000,' },
    ]) {
      const { status, body } = await owner.post(UPDATE_PATH, { deviceId: watch.did, refId, ...invalidFields });
      expect([invalidFields, status, body['code'], body['data']]).toEqual([invalidFields, 400, 400_001, null]);
      const [field] = Object.keys(invalidFields);
      expect(body['details']).toContainEqual(expect.objectContaining({ field }));
    }
  });

  test('returns the same error for a watch or contact of another family as for an unknown one', async () => {
    const stranger = await environment.createPerson();
    const child = await stranger.createChild();
    const ownWatch = await environment.createBoundWatch(await stranger.familyId(), child);
    const { refId } = await contactOf(owner);
    const foreignWatch = await stranger.post(UPDATE_PATH, { deviceId: watch.did, refId, appellation: 'X' });
    expect(foreignWatch).toEqual(await stranger.post(UPDATE_PATH, { deviceId: 1, refId, appellation: 'X' }));
    expect(foreignWatch).toMatchObject({ status: 404, body: { reason: 'WATCH_NOT_FOUND' } });
    const foreignContact = await stranger.post(UPDATE_PATH, { deviceId: ownWatch.did, refId, appellation: 'X' });
    for (const id of [UNKNOWN_ID, 'nonsense']) {
      expect(await stranger.post(UPDATE_PATH, { deviceId: ownWatch.did, refId: id, appellation: 'X' })).toEqual(
        foreignContact,
      );
    }
    expect(foreignContact).toMatchObject({ status: 404, body: { reason: 'CONTACT_NOT_FOUND' } });
    expect((await contactOf(owner)).appellation).toBe('Anna');
  });

  test('rejects a new phone number for the contact of a member', async () => {
    const { refId } = await contactOf(owner);
    const { status, body } = await owner.post(UPDATE_PATH, { deviceId: watch.did, refId, phoneNumber: '13866666666' });
    expect(status).toBe(400);
    expect(body['details']).toContainEqual(expect.objectContaining({ field: 'phoneNumber', rule: 'isOfAccount' }));
  });
});

describe('A6 role changes of contacts', () => {
  /** Title, role and permissions of the caller. */
  const actors = [
    ['the owner', 1, undefined],
    ['a guardian with settings', 2, ['SETTINGS']],
    ['a guardian without settings', 2, []],
    ['a caregiver', 3, undefined],
    ['a contact', 4, undefined],
  ] as const;

  test.each(actors)('accepts the permitted role changes by %s and rejects all others', async (_, role, permissions) => {
    const guardian = await environment.createPerson('Ben');
    await owner.addMember(guardian, { role: 2 });
    let actor = owner;
    if (role !== 1) {
      actor = await environment.createPerson('Eve');
      await owner.addMember(actor, { role, ...(permissions ? { permissions } : {}) });
    }
    for (const target of new Set([owner, guardian, actor])) {
      for (const newRole of [1, 2, 3, 4]) {
        const contact = await contactOf(target);
        const { status, body } = await actor.post(UPDATE_PATH, {
          deviceId: watch.did,
          refId: contact.refId,
          role: newRole,
        });
        const mayChangeContacts = role === 1 || (role === 2 && permissions?.[0] === 'SETTINGS');
        const isUnchanged = newRole === contact.role;
        const mayAssign = role === 1 && contact.role !== 1 && newRole !== 1;
        const expected = !mayChangeContacts
          ? [403, 'PERMISSION_MISSING']
          : isUnchanged || mayAssign
            ? [200, undefined]
            : [403, 'ROLE_CHANGE_FORBIDDEN'];
        expect([newRole, status, body['reason']]).toEqual([newRole, ...expected]);
        expect((await contactOf(target)).role).toBe(status === 200 ? newRole : contact.role);
      }
    }
    const owners = await environment.query('SELECT 1 FROM userctx.family_member WHERE family_id = $1 AND role = 1', [
      familyId,
    ]);
    expect(owners).toHaveLength(1);
  });

  test('changes the role of a member in the contact lists of all children of the family', async () => {
    const secondCid = await owner.createChild();
    const guardian = await environment.createPerson('Ben');
    await owner.addMember(guardian, { role: 2 });
    const { refId } = await contactOf(guardian);
    await owner.post(UPDATE_PATH, { deviceId: watch.did, refId, role: 3 });
    const roles = await environment.query('SELECT cid, role FROM userctx.contact WHERE user_id = $1', [guardian.id]);
    expect(roles).toHaveLength(2);
    expect(roles).toEqual(
      expect.arrayContaining([
        { cid, role: 3 },
        { cid: secondCid, role: 3 },
      ]),
    );
    const snapshot = (await environment.events<{ members: object[] }>(familyId, 'userctx.family.changed')).at(-1);
    const permissions = ['LOCATION', 'CHAT', 'CALL', 'ALERTS', 'CLOUD'];
    expect(snapshot?.payload.members).toContainEqual({
      userId: guardian.id,
      role: 3,
      permissions,
      childPermissions: {},
    });
    expect((await guardian.post('child/update', { ...CHILD, cid })).body['reason']).toBe('PERMISSION_MISSING');
    expect((await guardian.post(UPDATE_PATH, { deviceId: watch.did, refId, appellation: 'X' })).status).toBe(403);
  });

  test('rejects the creation of a contact with role owner and the deletion of a member’s contact', async () => {
    const fields = { deviceId: watch.did, name: 'G', phoneNumber: '13900001111', areaCode: '86' };
    const created = await owner.post('device/contacts/create', { ...fields, role: 1 });
    expect([created.status, created.body['reason']]).toEqual([403, 'ROLE_CHANGE_FORBIDDEN']);
    const { refId } = await contactOf(owner);
    const deleted = await owner.post('device/contacts/delete', { deviceId: watch.did, refId });
    expect([deleted.status, deleted.body['reason']]).toEqual([403, 'ROLE_CHANGE_FORBIDDEN']);
  });
});

describe('contact list of a child', () => {
  test('contains the owner first and then the other members, and is readable by the child’s watch', async () => {
    const guardian = await environment.createPerson('Ben');
    await owner.addMember(guardian, { role: 2, appellation: 'Papa', identityType: 1 });
    const list = await contacts(watch);
    expect(list).toEqual([
      expect.objectContaining({ userId: owner.id, role: 1, sosOrder: 1, appellation: 'Anna' }),
      expect.objectContaining({ userId: guardian.id, role: 2, sosOrder: 2, appellation: 'Papa', identityType: 1 }),
    ]);
    expect(await contacts(guardian)).toEqual(list);
  });

  test('cannot be read by another watch, and cannot be changed by any watch', async () => {
    const child = await owner.createChild();
    const other = await environment.createBoundWatch(familyId, child);
    const { status, body } = await other.get('device/contacts/list', { deviceId: watch.did });
    expect([status, body['reason']]).toEqual([404, 'WATCH_NOT_FOUND']);
    const { refId } = await contactOf(owner);
    expect((await watch.post(UPDATE_PATH, { deviceId: watch.did, refId, role: 4 })).status).toBe(403);
  });

  test('does not contain former members, who lose all access to the child', async () => {
    const [ben, cleo] = [await environment.createPerson('Ben'), await environment.createPerson('Cleo')];
    await owner.addMember(ben, { role: 2 });
    await owner.addMember(cleo, { role: 3 });
    await owner.post('family/member/remove', { familyId, userId: ben.id });
    await cleo.post('family/leave', { familyId });
    expect((await contacts()).map(({ userId }) => userId)).toEqual([owner.id]);
    for (const person of [ben, cleo]) {
      expect((await person.get('child/get')).body).toEqual({ childList: [] });
      expect((await person.get('child/detail', { cid })).status).toBe(404);
      expect((await person.get('device/contacts/list', { deviceId: watch.did })).status).toBe(404);
      expect((await person.get('family/member/list', { familyId })).status).toBe(404);
    }
  });

  test('does not contain a deleted contact, whose repeated deletion returns 404', async () => {
    const { refId } = await createGrandma();
    expect((await owner.post('device/contacts/delete', { deviceId: watch.did, refId })).status).toBe(200);
    expect((await owner.post('device/contacts/delete', { deviceId: watch.did, refId })).status).toBe(404);
    expect(await contacts()).toHaveLength(1);
  });
});
