import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChildListDto } from '@family-watch/domain/families/dto/child.dto';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, waitForCenterMessage } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const CONTACTS_NOTICE = 'ContactsChangeNoticeMessage';
const JOIN_REQUEST_PATH = 'device/contacts/application/';
const CLAIM_PATH = 'family/ownership-claim/';
const PASSWORD = 'seven quiet herons';

describe('a family', () => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service, { password: PASSWORD });
  });
  afterEach(() => fixture.disconnectAll());

  async function familyCode(): Promise<string> {
    return (await expectOk(fixture.watch.post<{ familyCode: string }>(`${WATCH_PATH}family-code/create`, {})))
      .familyCode;
  }

  async function applyAs(by: Parent, more: object = {}): Promise<string> {
    const request = { familyCode: await familyCode(), ...more };
    return (await expectOk(by.post<{ applicationId: string }>(`${JOIN_REQUEST_PATH}create`, request))).applicationId;
  }

  async function listContacts(actor: { get: FamilyFixture['owner']['get'] }) {
    const { items } = await expectOk(
      actor.get<{ items: { refId: string; userId?: string; role: number; sosOrder: number }[] }>(
        'device/contacts/list',
        { deviceId: fixture.watch.did },
      ),
    );
    return items;
  }

  test('permissions for a child of another family or an unknown child are rejected with CHILD_NOT_FOUND', async () => {
    const { owner, guardian, familyId } = fixture;
    const other = await Parent.signUp(service);
    const applicationId = await applyAs(await Parent.signUp(service));
    for (const cid of [await other.createChild(), randomUUID()]) {
      const body = { familyId, role: 3, childPermissions: { [fixture.cid]: [], [cid]: ['LOCATION'] } };
      for (const answer of [
        await owner.post('family/member/update', { ...body, userId: guardian.userId }),
        await owner.post('family/invitation/create', body),
        await owner.post(`${JOIN_REQUEST_PATH}approve`, { ...body, applicationId }),
      ])
        expect([answer.status, answer.body['reason']]).toEqual([404, 'CHILD_NOT_FOUND']);
    }
    const childPermissions = { [fixture.cid]: ['LOCATION'] };
    await expectOk(owner.post(`${JOIN_REQUEST_PATH}approve`, { familyId, applicationId, role: 3, childPermissions }));
  });

  describe('a join request', () => {
    test('notifies the owner; an approved person becomes a contact of the watch', async () => {
      const [applicant, watch] = [await Parent.signUp(service), await fixture.watch.connect()];
      const applicationId = await applyAs(applicant, { appellation: 'Uncle Bo', identityType: 5 });
      const asked = await waitForCenterMessage(fixture.owner, 'APPLICATION', 'APPLICATION_MADE');
      expect(asked.params).toMatchObject({ applicationId });
      expect(await applicant.get('child/detail', { cid: fixture.cid })).toMatchObject({ status: 404 });
      await expectOk(
        fixture.owner.post(`${JOIN_REQUEST_PATH}approve`, { familyId: fixture.familyId, applicationId, role: 3 }),
      );
      await watch.waitFor(() => watch.messagesOfKind(CONTACTS_NOTICE).length > 0, 'the new contact on the watch');
      expect((await listContacts(fixture.watch)).at(-1)).toMatchObject({ userId: applicant.userId, role: 3 });
      expect(await applicant.get('child/detail', { cid: fixture.cid })).toMatchObject({ status: 200 });
      const answered = await waitForCenterMessage(applicant, 'APPLICATION', 'APPLICATION_ANSWERED');
      expect(answered.params).toMatchObject({ applicationId, state: 'APPROVED' });
    });

    test('A7 a rejected person can join only with a new invitation from the owner', async () => {
      const applicant = await Parent.signUp(service);
      const { code } = await expectOk(
        fixture.owner.post<{ code: string }>('family/invitation/create', { familyId: fixture.familyId, role: 2 }),
      );
      const applicationId = await applyAs(applicant);
      await expectOk(fixture.owner.post(`${JOIN_REQUEST_PATH}reject`, { familyId: fixture.familyId, applicationId }));
      const refusals = [
        await applicant.post(`${JOIN_REQUEST_PATH}create`, { familyCode: await familyCode() }),
        await applicant.post(`${JOIN_REQUEST_PATH}create`, { inviteCode: code }),
        await applicant.post('family/invitation/accept', { code }),
      ];
      expect(refusals.map(({ body }) => body['reason'])).toEqual([
        'APPLICATION_REFUSED',
        'APPLICATION_REFUSED',
        'INVITATION_INVALID',
      ]);
      await fixture.owner.addMember(applicant, { role: 4 });
      expect((await listContacts(fixture.owner)).at(-1)).toMatchObject({ userId: applicant.userId, role: 4 });
    });
  });

  test('a transfer of ownership notifies owner, guardian and watch; the new owner is the first contact', async () => {
    const [phone, other, watch] = [
      await fixture.owner.connect(),
      await fixture.guardian.connect(),
      await fixture.watch.connect(),
    ];
    const { familyId, owner, guardian } = fixture;
    const request = { familyId, userId: guardian.userId, stepUp: { password: PASSWORD } };
    await expectOk(owner.post('family/transfer', request));
    for (const socket of [phone, other, watch]) {
      await socket.waitFor(() => socket.messagesOfKind(CONTACTS_NOTICE).length >= 2, 'both contacts changed');
    }
    for (const person of [owner, guardian]) {
      const { params } = await waitForCenterMessage(person, 'FAMILY', 'OWNER_CHANGED');
      expect(params).toMatchObject({ fromUserId: owner.userId, toUserId: guardian.userId });
    }
    const contacts = await listContacts(fixture.watch);
    expect(contacts.filter(({ role }) => role === 1)).toMatchObject([{ userId: guardian.userId }]);
    expect((await owner.get('child/delete', { cid: fixture.cid })).body).toMatchObject({
      reason: 'PERMISSION_MISSING',
    });
  });

  test('an ownership claim and its rejection by the owner notify every member who can object', async () => {
    const { familyId, owner, guardian } = fixture;
    const { claimId, deadline, createTime } = await expectOk(
      guardian.post<{ claimId: string; deadline: number; createTime: number }>(`${CLAIM_PATH}create`, { familyId }),
    );
    expect(deadline - createTime).toBe(7 * 86_400_000);
    for (const person of [owner, guardian]) {
      expect((await waitForCenterMessage(person, 'FAMILY', 'OWNERSHIP_CLAIMED')).params).toMatchObject({
        claimId,
        deadline,
      });
    }
    await expectOk(owner.post(`${CLAIM_PATH}refuse`, { familyId, claimId }));
    expect((await waitForCenterMessage(guardian, 'FAMILY', 'OWNERSHIP_CLAIM_ENDED')).params).toMatchObject({
      state: 'REFUSED',
    });
    const { items } = await expectOk(guardian.get<{ items: object[] }>(`${CLAIM_PATH}list`, { familyId }));
    expect(items).toMatchObject([{ claimId, state: 'REFUSED', endedBy: `user:${owner.userId}` }]);
  });

  test('dissolution notifies all members; the owner restores the family with its first child and the watch', async () => {
    const { familyId, owner, guardian, watch, cid } = fixture;
    const findChildren = async () => (await owner.get<ChildListDto>('child/get')).body.childList;
    await expectOk(owner.post('family/dissolve', { familyId, stepUp: { password: PASSWORD } }));
    for (const person of [owner, guardian]) {
      expect((await waitForCenterMessage(person, 'FAMILY', 'FAMILY_DISSOLVED')).params).toMatchObject({ familyId });
      expect((await person.get('child/get')).body).toEqual({ childList: [] });
    }
    await expectOk(owner.post('child/restore', { cid }));
    expect(await findChildren()).toMatchObject([{ cid }]);
    await waitUntil('the watch', async () => (await findChildren())[0]?.device?.did === watch.did);
    expect((await guardian.get('child/get')).body).toEqual({ childList: [] });
  });

  test('contacts are listed in their emergency order, and have unique ranks also after concurrent updates', async () => {
    const { owner, watch } = fixture;
    const add = async (name: string, more: object = {}) =>
      (
        await expectOk(
          owner.post<{ refId: string }>('device/contacts/create', {
            deviceId: watch.did,
            name,
            phoneNumber: '13900001111',
            areaCode: '86',
            ...more,
          }),
        )
      ).refId;
    const [gran, uncle, doctor] = [await add('Gran'), await add('Uncle'), await add('Doctor', { sosOrder: 2 })];
    const ranks = async () =>
      (await listContacts(owner)).map(({ refId, userId, sosOrder }) => [userId ?? refId, sosOrder]);
    expect(await ranks()).toEqual([
      [owner.userId, 1] as unknown,
      [doctor, 2],
      [fixture.guardian.userId, 3],
      [gran, 4],
      [uncle, 5],
    ]);
    const moves = [gran, uncle, doctor].map((refId) =>
      owner.post('device/contacts/update', { deviceId: watch.did, refId, sosOrder: 3 }),
    );
    expect((await Promise.all(moves)).map(({ status }) => status)).toEqual([200, 200, 200]);
    const after = (await ranks()).map(([, rank]) => rank);
    expect(new Set(after).size).toBe(after.length);
  });
});
