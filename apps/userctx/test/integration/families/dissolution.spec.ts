import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/families/contracts/child';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { ChildDeletionService } from '../../../src/families/children/child-deletion.service.js';
import { FamilyOwnershipService } from '../../../src/families/family-ownership.service.js';
import type { ApiClient } from '../../support/api-client.js';
import { outcome, rolesOf, createFamily, addMember, type FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment, PASSWORD } from '../../support/family-test-environment.js';

let environment: FamilyTestEnvironment;
let family: FamilyFixture;
let guardian: ApiClient;

beforeAll(async () => {
  // The outbox relay is disabled: the suite compares all events of a family, and handlers would add events to them.
  environment = await FamilyTestEnvironment.open({ isRelayDisabled: true });
});
afterAll(() => environment.close());
beforeEach(async () => {
  family = await createFamily(environment);
  guardian = await addMember(environment, family);
});

const dissolve = (actor = family.owner, body: object = { stepUp: { password: PASSWORD } }) =>
  actor.post('family/dissolve', { familyId: family.familyId, ...body });
const restore = (actor: ApiClient) => actor.post('child/restore', { cid: family.cid });
/** Creates an invitation and returns its code. */
const invite = async () =>
  String((await family.owner.post('family/invitation/create', { familyId: family.familyId, role: 2 })).body['code']);

describe('dissolving a family', () => {
  test('publishes its events before the family snapshot without members', async () => {
    const before = (await environment.events(family.familyId)).length;
    expect(await dissolve()).toEqual({ status: 200, body: {} });
    const events = (await environment.events(family.familyId)).slice(before);
    expect(events.map(({ name }) => name)).toEqual([
      'userctx.child.deleted',
      'userctx.watch.unbound',
      'userctx.family.dissolved',
      'userctx.family.changed',
    ]);
    expect(events[2]?.payload).toMatchObject({ by: `user:${family.owner.id}` });
    expect((events[2]!.payload['memberUserIds'] as string[]).toSorted()).toEqual(
      [family.owner.id, guardian.id].toSorted(),
    );
    expect(events[3]?.payload as unknown as FamilySnapshot).toMatchObject({
      dissolved: true,
      ownerUserId: family.owner.id,
      members: [],
      children: [],
    });
  });

  test('ends all access of the members and of the watch', async () => {
    await dissolve();
    for (const person of [family.owner, guardian]) {
      expect((await person.get('family/list')).body['items']).toEqual([]);
      expect((await person.get('child/get')).body['childList']).toEqual([]);
      expect(outcome(await person.get('child/detail', { cid: family.cid }))).toBe('CHILD_NOT_FOUND');
      expect(outcome(await person.get('family/member/list', { familyId: family.familyId }))).toBe('FAMILY_NOT_FOUND');
    }
    const { did } = family.watch;
    expect(outcome(await family.watch.get('device/contacts/list', { deviceId: did }))).toBe('WATCH_NOT_FOUND');
    expect(outcome(await family.watch.post('/apis/v2/userctx/watch/family-code/create', {}))).toBe('WATCH_UNBOUND');
    expect(outcome(await dissolve())).toBe('FAMILY_NOT_FOUND');
  });

  test('requires the role of owner and a step-up', async () => {
    expect(outcome(await dissolve(guardian))).toBe('PERMISSION_MISSING');
    expect(outcome(await dissolve(family.owner, {}))).toBe('STEP_UP_REQUIRED');
    expect(outcome(await family.owner.get('child/detail', { cid: family.cid }))).toBe('ok');
  });

  test('ends invitations, join requests and the open ownership claim', async () => {
    const [code, applicant] = [await invite(), await environment.createPerson('Bo')];
    const { body } = await family.watch.post('/apis/v2/userctx/watch/family-code/create', {});
    const familyCode = body['familyCode'];
    await applicant.post('device/contacts/application/create', { familyCode });
    await guardian.post('family/ownership-claim/create', { familyId: family.familyId });
    await dissolve();
    expect(outcome(await guardian.post('family/invitation/accept', { code }))).toBe('INVITATION_INVALID');
    const newApplicant = await environment.createPerson();
    expect(outcome(await newApplicant.post('device/contacts/application/create', { familyCode }))).toBe('CODE_INVALID');
    const joinRequests = await applicant.get('device/contacts/application/list');
    expect(joinRequests.body['items']).toEqual([expect.objectContaining({ state: 'EXPIRED' })]);
    const claims = await environment.events<{ state: string }>(family.familyId, 'userctx.ownership-claim.changed');
    expect(claims.map(({ payload }) => payload.state)).toEqual(['OPEN', 'WITHDRAWN']);
  });

  test('leaves the family without members even when people accept invitations concurrently', async () => {
    const guests = await Promise.all(Array.from({ length: 4 }, () => environment.createPerson()));
    const codes = [await invite(), await invite(), await invite(), await invite()];
    const [dissolved] = await Promise.all([
      dissolve(),
      ...guests.map((guest, index) => guest.post('family/invitation/accept', { code: codes[index] })),
    ]);
    expect(outcome(dissolved)).toBe('ok');
    expect(await rolesOf(environment, family.familyId)).toEqual({});
  });
});

describe('a dissolved family', () => {
  test('is restored together with a child and its contacts, but without members other than the owner', async () => {
    await family.owner.post('device/contacts/create', {
      deviceId: family.watch.did,
      name: 'Grandma',
      phoneNumber: '13900001111',
      areaCode: '86',
    });
    await dissolve();
    for (const person of [guardian, await environment.createPerson()]) {
      expect(outcome(await restore(person))).toBe('CHILD_NOT_FOUND');
    }
    const listed = { cid: family.cid, familyId: family.familyId };
    expect((await family.owner.get('child/deleted/list')).body).toMatchObject({ items: [listed] });
    expect((await guardian.get('child/deleted/list')).body).toMatchObject({ items: [] });
    expect(outcome(await restore(family.owner))).toBe('ok');
    expect(outcome(await restore(family.owner))).toBe('ok');
    expect((await family.owner.get('child/deleted/list')).body).toMatchObject({ items: [] });
    expect(await rolesOf(environment, family.familyId)).toEqual({ [family.owner.id]: 1 });
    const [snapshot] = (await environment.events<FamilySnapshot>(family.familyId, 'userctx.family.changed')).slice(-1);
    expect(snapshot?.payload).toMatchObject({ dissolved: false, children: [{ cid: family.cid, did: null }] });
    const newWatch = await environment.createBoundWatch(family.familyId, family.cid);
    const { body } = await family.owner.get('device/contacts/list', { deviceId: newWatch.did });
    expect(body['items']).toEqual([
      expect.objectContaining({ userId: family.owner.id, role: 1 }),
      expect.objectContaining({ name: 'Grandma' }),
    ]);
    await addMember(environment, family);
    expect(outcome(await guardian.get('child/detail', { cid: family.cid }))).toBe('CHILD_NOT_FOUND');
  });

  test('cannot be restored, and its children are not listed, while its owner owns another family', async () => {
    await dissolve();
    const cid = await family.owner.createChild();
    expect(await family.owner.familyId()).not.toBe(family.familyId);
    expect(outcome(await restore(family.owner))).toBe('LIMIT_REACHED');
    expect((await family.owner.get('child/deleted/list')).body).toMatchObject({ items: [] });
    expect(outcome(await family.owner.get('child/detail', { cid }))).toBe('ok');
    expect(await rolesOf(environment, family.familyId)).toEqual({});
  });

  test('is deleted with its data after seven days, but other families are not deleted', async () => {
    await dissolve();
    const other = await createFamily(environment);
    const erase = async (now: number) => {
      await environment.app.get(ChildDeletionService, { strict: false }).eraseDeleted(now);
      await environment.app.get(FamilyOwnershipService, { strict: false }).deleteDissolved(now);
    };
    await erase(Date.now() + CHILD_RESTORE_WINDOW_MS - 60_000);
    expect(outcome(await restore(family.owner))).toBe('ok');
    await dissolve();
    await erase(Date.now() + CHILD_RESTORE_WINDOW_MS + 1);
    expect(outcome(await restore(family.owner))).toBe('CHILD_NOT_FOUND');
    for (const table of ['family', 'family_invitation', 'family_application', 'ownership_claim', 'contact', 'child']) {
      expect(await environment.query(`SELECT 1 FROM userctx.${table} WHERE family_id = $1`, [family.familyId])).toEqual(
        [],
      );
    }
    expect(outcome(await other.owner.get('child/detail', { cid: other.cid }))).toBe('ok');
  });
});
