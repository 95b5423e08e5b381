import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { MemberContactsService } from '../../../src/families/contacts/member-contacts.service.js';
import { CHILD, type ApiClient } from '../../support/api-client.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';

const DAY_MS = 86_400_000;

let environment: FamilyTestEnvironment;
let owner: ApiClient;
let guardian: ApiClient;
let cid: string;
let familyId: string;
let watch: ApiClient & { did: number };

beforeAll(async () => {
  // The outbox relay is disabled: the suite compares all events of a family, and handlers would add events to them.
  environment = await FamilyTestEnvironment.open({ isRelayDisabled: true });
});
afterAll(() => environment.close());
beforeEach(async () => {
  owner = await environment.createPerson('Anna');
  guardian = await environment.createPerson('Ben');
  cid = await owner.createChild();
  familyId = await owner.familyId();
  await owner.addMember(guardian, { role: 2 });
  watch = await environment.createBoundWatch(familyId, cid);
});

const restore = (actor: ApiClient) => actor.post('child/restore', { cid });
/** Moves the time of the deletion of the child into the past. */
const setTimeSinceDeletion = (milliseconds: number) =>
  environment.query('UPDATE userctx.child SET deleted_at = $2 WHERE cid = $1', [cid, Date.now() - milliseconds]);

describe('deleting a child (specification 4.1, rule 3)', () => {
  test('unbinds the watch and publishes both events before the family snapshot without the child', async () => {
    const before = (await environment.events(familyId)).length;
    await owner.get('child/delete', { cid });
    const [deletion, unbinding, snapshot, ...others] = (await environment.events(familyId)).slice(before);
    expect(others).toEqual([]);
    expect(deletion).toMatchObject({
      name: 'userctx.child.deleted',
      payload: { familyId, cid, did: watch.did, by: `user:${owner.id}` },
    });
    expect(unbinding).toMatchObject({
      name: 'userctx.watch.unbound',
      payload: { familyId, cid, did: watch.did, by: `user:${owner.id}`, time: expect.any(Number) },
    });
    expect((snapshot!.payload as unknown as FamilySnapshot).children).toEqual([]);
    expect((await owner.get('device/contacts/list', { deviceId: watch.did })).status).toBe(404);
    expect((await watch.get('device/contacts/list', { deviceId: watch.did })).status).toBe(404);
  });

  test('requires the role of owner', async () => {
    expect((await guardian.get('child/delete', { cid })).body['reason']).toBe('PERMISSION_MISSING');
    expect((await guardian.get('child/detail', { cid })).status).toBe(200);
  });

  test('succeeds for exactly one of several concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => owner.get('child/delete', { cid })));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
    expect(await environment.events(familyId, 'userctx.child.deleted')).toHaveLength(1);
  });
});

describe('restoring a child', () => {
  test('restores the child with its contacts, and publishes which watch it had', async () => {
    await owner.post('device/contacts/create', {
      deviceId: watch.did,
      name: 'Grandma',
      phoneNumber: '13900001111',
      areaCode: '86',
    });
    const detail = await owner.get('child/detail', { cid });
    await owner.get('child/delete', { cid });
    expect(await restore(owner)).toEqual({ status: 200, body: {} });
    expect(await owner.get('child/detail', { cid })).toEqual(detail);
    const { body } = await owner.get('child/get');
    expect(body['childList']).toEqual([expect.objectContaining({ cid, device: null })]);
    const newWatch = await environment.createBoundWatch(familyId, cid);
    const list = await owner.get('device/contacts/list', { deviceId: newWatch.did });
    expect(list.body['items']).toEqual([
      expect.objectContaining({ userId: owner.id }),
      expect.objectContaining({ userId: guardian.id }),
      expect.objectContaining({ name: 'Grandma' }),
    ]);
    const [restored, ...others] = await environment.events(familyId, 'userctx.child.restored');
    expect(restored?.payload).toEqual({ familyId, cid, by: `user:${owner.id}`, did: watch.did });
    expect(others).toEqual([]);
  });

  test('adds contacts of members who joined since the deletion, and removes contacts of former members', async () => {
    await owner.get('child/delete', { cid });
    const cleo = await environment.createPerson('Cleo');
    await owner.addMember(cleo, { role: 3 });
    await owner.post('family/member/remove', { familyId, userId: guardian.id });
    await restore(owner);
    const rows = await environment.query('SELECT user_id FROM userctx.contact WHERE cid = $1 ORDER BY sos_order', [
      cid,
    ]);
    expect(rows).toEqual([{ user_id: owner.id }, { user_id: cleo.id }]);
  });

  test('is possible for seven days after the deletion', async () => {
    await owner.get('child/delete', { cid });
    await setTimeSinceDeletion(7 * DAY_MS + 1_000);
    expect((await restore(owner)).body['reason']).toBe('CHILD_NOT_FOUND');
    await setTimeSinceDeletion(7 * DAY_MS - 60_000);
    expect((await restore(owner)).status).toBe(200);
  });

  test('requires the role of owner, and returns the same error to a stranger as for an unknown child', async () => {
    await owner.get('child/delete', { cid });
    const stranger = await environment.createPerson();
    expect((await restore(guardian)).body['reason']).toBe('PERMISSION_MISSING');
    const strangerResponse = await restore(stranger);
    expect(strangerResponse).toEqual(await stranger.post('child/restore', { cid: 'nonsense' }));
    expect(strangerResponse.body['reason']).toBe('CHILD_NOT_FOUND');
  });

  test('succeeds for each of several concurrent requests, but publishes one event', async () => {
    await owner.get('child/delete', { cid });
    const responses = await Promise.all(Array.from({ length: 4 }, () => restore(owner)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await environment.events(familyId, 'userctx.child.restored')).toHaveLength(1);
  });

  test('is rejected and changes nothing when the family already has 20 children', async () => {
    await owner.get('child/delete', { cid });
    await Promise.all(Array.from({ length: 20 }, () => owner.post('child/create', CHILD)));
    expect((await restore(owner)).body['reason']).toBe('LIMIT_REACHED');
    expect((await owner.get('child/detail', { cid })).status).toBe(404);
  });
});

describe('the list of deleted children', () => {
  test('contains for the owner the children that can be restored, the newest first, and nothing for others', async () => {
    const other = await owner.createChild();
    for (const id of [cid, other]) await owner.get('child/delete', { cid: id });
    await setTimeSinceDeletion(7 * DAY_MS - 60_000);
    const list = async (actor: ApiClient, query = {}) => (await actor.get('child/deleted/list', query)).body;
    const first = await list(owner, { limit: 1 });
    expect(first).toMatchObject({ items: [{ cid: other, familyId }], nextCursor: expect.any(String) });
    const deletedAt = expect.any(Number);
    const mia = { cid, familyId, name: CHILD.name, deletedAt, restorableUntil: deletedAt };
    const second = await list(owner, { limit: 1, cursor: first['nextCursor'] });
    expect(second).toEqual({ items: [mia], nextCursor: null });
    const [{ restorableUntil, deletedAt: time }] = second['items'] as [{ restorableUntil: number; deletedAt: number }];
    expect(restorableUntil - time).toBe(7 * DAY_MS);
    for (const actor of [guardian, await environment.createPerson()])
      expect(await list(actor)).toEqual({ items: [], nextCursor: null });
    await setTimeSinceDeletion(7 * DAY_MS + 1_000);
    await owner.post('child/restore', { cid: other });
    expect(await list(owner)).toEqual({ items: [], nextCursor: null });
  });
});

describe('A24 a child that was deleted seven days ago', () => {
  test('is erased with its contacts, and an event is published, but other children are not erased', async () => {
    const remaining = await owner.createChild();
    const deletion = environment.app.get(ChildDeletionService, { strict: false });
    await owner.get('child/delete', { cid });
    const now = Date.now();
    await deletion.eraseDeleted(now + 7 * DAY_MS - 60_000);
    expect(await environment.query('SELECT 1 FROM userctx.child WHERE cid = $1', [cid])).toHaveLength(1);
    expect(await deletion.eraseDeleted(now + 7 * DAY_MS + 60_000)).toBeGreaterThanOrEqual(1);
    for (const table of ['child', 'contact_list', 'contact']) {
      expect(await environment.query(`SELECT 1 FROM userctx.${table} WHERE cid = $1`, [cid])).toEqual([]);
    }
    expect((await environment.events(familyId, 'userctx.child.erased')).map(({ payload }) => payload)).toEqual([
      { familyId, cid },
    ]);
    expect((await owner.get('child/detail', { cid: remaining })).status).toBe(200);
    expect((await restore(owner)).body['reason']).toBe('CHILD_NOT_FOUND');
  });

  test('is erased although the erasure of another child fails', async () => {
    const other = await owner.createChild();
    for (const id of [other, cid]) await owner.get('child/delete', { cid: id });
    const contacts = environment.app.get(MemberContactsService, { strict: false });
    const deleteContacts = contacts.deleteList.bind(contacts);
    const deleteList = jest.spyOn(contacts, 'deleteList').mockImplementation(async (ofFamily, ofChild) => {
      if (ofChild === other) throw new Error('No');
      await deleteContacts(ofFamily, ofChild);
    });
    const deletion = environment.app.get(ChildDeletionService, { strict: false });
    await deletion.eraseDeleted(Date.now() + 8 * DAY_MS).finally(() => deleteList.mockRestore());
    const remaining = await environment.query('SELECT cid FROM userctx.child WHERE cid = ANY($1)', [[cid, other]]);
    expect(remaining).toEqual([{ cid: other }]);
  });
});
