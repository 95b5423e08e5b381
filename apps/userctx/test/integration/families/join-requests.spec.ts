import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { FamilyRosterService } from '../../../src/families/family-roster.service.js';
import { JoinRequestsService } from '../../../src/families/memberships/join-requests.service.js';
import type { HttpResponse, ApiClient } from '../../support/api-client.js';
import { outcome, rolesOf, createFamily, addMember, type FamilyFixture } from '../../support/family-fixture.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';
import { JoinRequestClient } from '../../support/join-request-client.js';

let environment: FamilyTestEnvironment;
let family: FamilyFixture;
let joinRequests: JoinRequestClient;
let applicant: ApiClient;

beforeAll(async () => {
  environment = await FamilyTestEnvironment.open();
});
afterAll(() => environment.close());
beforeEach(async () => {
  family = await createFamily(environment);
  joinRequests = new JoinRequestClient(environment, family);
  applicant = await environment.createPerson('Bo');
  // All requests of this suite share one IP address and would reach the limit of attempts per IP address.
  await environment.query('DELETE FROM userctx.attempt_counter');
});

describe('a join request', () => {
  test('is approved by the owner, who chooses role, permissions and name', async () => {
    const applicationId = await joinRequests.createRequest(applicant, { appellation: 'The King', identityType: 6 });
    const { body } = await joinRequests.list(family.owner, { familyId: family.familyId });
    expect(body['items']).toEqual([
      {
        applicationId,
        state: 'PENDING',
        appellation: 'The King',
        identityType: 6,
        applicant: { userId: applicant.id, name: 'Bo', areaCode: '+86', phoneNumber: applicant.phoneNumber },
        createTime: expect.any(Number),
        expireTime: expect.any(Number),
        changeTime: expect.any(Number),
      },
    ]);
    const decision = { role: 3, permissions: ['CHAT', 'SETTINGS'], appellation: 'Uncle Bo', identityType: 5 };
    expect(await joinRequests.decide('approve', applicationId, decision)).toMatchObject({
      status: 200,
      body: { state: 'APPROVED' },
    });
    const [snapshot] = (await environment.events<FamilySnapshot>(family.familyId, 'userctx.family.changed')).slice(-1);
    expect(snapshot?.payload.members[1]).toMatchObject({ userId: applicant.id, role: 3, permissions: ['CHAT'] });
    const contacts = await family.owner.get('device/contacts/list', { deviceId: family.watch.did });
    expect((contacts.body['items'] as object[])[1]).toMatchObject({
      userId: applicant.id,
      role: 3,
      name: 'Bo',
      appellation: 'Uncle Bo',
      identityType: 5,
    });
    expect(await joinRequests.publishedStates()).toEqual(['PENDING', 'APPROVED']);
  });

  test('reveals no ids of the family, its owner, child or watch to the applicant', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    const { body } = await joinRequests.list(applicant);
    const text = JSON.stringify(body);
    for (const secret of [family.familyId, family.cid, family.owner.id, String(family.watch.did)]) {
      expect(text).not.toContain(secret);
    }
    expect(body['items']).toEqual([expect.not.objectContaining({ applicant: expect.anything() })]);
    expect(text).toContain(applicationId);
  });

  test('is returned unchanged when the applicant repeats it while it is pending', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    expect(await joinRequests.createRequest(applicant)).toBe(applicationId);
    expect(await joinRequests.publishedStates()).toEqual(['PENDING']);
  });

  test('can be decided by the owner only', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    for (const role of [2, 3, 4]) {
      const member = await addMember(environment, family, role);
      for (const decision of ['approve', 'reject'] as const) {
        expect(outcome(await joinRequests.decide(decision, applicationId, {}, member))).toBe('PERMISSION_MISSING');
      }
    }
    expect(outcome(await joinRequests.decide('approve', applicationId, {}, applicant))).toBe('FAMILY_NOT_FOUND');
    expect(outcome(await joinRequests.decide('approve', applicationId, { role: 1 }))).toBe('ROLE_CHANGE_FORBIDDEN');
    expect(await joinRequests.listStates(applicant)).toEqual(['PENDING']);
  });

  test('returns APPLICATION_NOT_FOUND to another family’s owner and for an unknown id', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    const other = await createFamily(environment);
    const otherFamily = { familyId: other.familyId };
    const responses: HttpResponse[] = [
      await joinRequests.decide('approve', applicationId, otherFamily, other.owner),
      await joinRequests.decide('reject', applicationId, otherFamily, other.owner),
      await joinRequests.cancel(applicationId, other.owner),
      await joinRequests.cancel('nonsense', other.owner),
    ];
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(responses[0]?.body['reason']).toBe('APPLICATION_NOT_FOUND');
    expect(await joinRequests.listStates(applicant)).toEqual(['PENDING']);
  });

  test('cannot be approved after its expiry time, even before the expiry job sets the state EXPIRED', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    await environment.query('UPDATE userctx.family_application SET expires_at = 1 WHERE application_id = $1', [
      applicationId,
    ]);
    expect(outcome(await joinRequests.decide('approve', applicationId))).toBe('APPLICATION_STATE');
    await environment.app.get(JoinRequestsService, { strict: false }).expireDue(Date.now());
    expect(await joinRequests.listStates(applicant)).toEqual(['EXPIRED']);
    expect(await joinRequests.createRequest(applicant)).toBe(applicationId);
    expect(await joinRequests.publishedStates()).toEqual(['PENDING', 'EXPIRED', 'PENDING']);
  });

  test('expires although the expiry of a request to another family fails', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    const other = await createFamily(environment);
    await environment.query(
      `INSERT INTO userctx.family_application
       SELECT (jsonb_populate_record(application, jsonb_build_object('application_id', $2::uuid, 'family_id', $2))).*
         FROM userctx.family_application application WHERE application_id = $1`,
      [applicationId, other.familyId],
    );
    const roster = environment.app.get(FamilyRosterService, { strict: false });
    const lockFamily = roster.lock.bind(roster);
    const lock = jest.spyOn(roster, 'lock').mockImplementation(async (familyId) => {
      if (familyId === other.familyId) throw new Error('No');
      await lockFamily(familyId);
    });
    await environment.query('UPDATE userctx.family_application SET expires_at = 1 WHERE applicant_user_id = $1', [
      applicant.id,
    ]);
    await environment.app.get(JoinRequestsService, { strict: false }).expireDue(Date.now());
    expect((await joinRequests.listStates(applicant)).toSorted()).toEqual(['EXPIRED', 'PENDING']);
    lock.mockRestore();
  });
});

describe('a rejected applicant', () => {
  test('cannot join with a family code or with an invitation from before the rejection', async () => {
    const invited = await family.owner.post('family/invitation/create', { familyId: family.familyId, role: 3 });
    const { code } = invited.body;
    await joinRequests.decide('reject', await joinRequests.createRequest(applicant));
    await joinRequests.decide('reject', await joinRequests.createRequest(await environment.createPerson()));
    expect(outcome(await joinRequests.sendRequest(applicant, { familyCode: await joinRequests.createCode() }))).toBe(
      'APPLICATION_REFUSED',
    );
    expect(outcome(await joinRequests.sendRequest(applicant, { inviteCode: code }))).toBe('APPLICATION_REFUSED');
    expect(outcome(await applicant.post('family/invitation/accept', { code }))).toBe('INVITATION_INVALID');
    expect(await rolesOf(environment, family.familyId)).toEqual({ [family.owner.id]: 1 });
    // The rejected attempts did not use up the invitation: another person can still accept it.
    expect(outcome(await (await environment.createPerson()).post('family/invitation/accept', { code }))).toBe('ok');
  });

  test('can join with a new invitation, and can afterwards request to join again', async () => {
    await joinRequests.decide('reject', await joinRequests.createRequest(applicant));
    await new Promise((resolve) => setTimeout(resolve, 2));
    await family.owner.addMember(applicant, { role: 3 });
    await applicant.post('family/leave', { familyId: family.familyId });
    expect(outcome(await joinRequests.sendRequest(applicant, { familyCode: await joinRequests.createCode() }))).toBe(
      'ok',
    );
  });
});

describe('concurrent operations on join requests', () => {
  const ROUNDS = [1, 2, 3, 4, 5];

  test.each(ROUNDS)('either approve or cancel a join request (round %i)', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    const responses = await Promise.all([
      joinRequests.decide('approve', applicationId),
      joinRequests.cancel(applicationId, applicant),
    ]);
    expect([
      ['ok', 'APPLICATION_STATE'],
      ['APPLICATION_STATE', 'ok'],
    ]).toContainEqual(responses.map(outcome));
    const isMember = applicant.id in (await rolesOf(environment, family.familyId));
    expect(isMember).toBe(responses[0].status === 200);
    expect(await joinRequests.listStates(applicant)).toEqual([isMember ? 'APPROVED' : 'CANCELLED']);
    expect(await joinRequests.publishedStates()).toHaveLength(2);
  });

  test.each(ROUNDS)('either approve or reject a join request (round %i)', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    const responses = await Promise.all([
      joinRequests.decide('reject', applicationId),
      joinRequests.decide('approve', applicationId),
    ]);
    expect(responses.map(outcome).toSorted()).toEqual(['APPLICATION_STATE', 'ok']);
    expect(applicant.id in (await rolesOf(environment, family.familyId))).toBe(responses[1].status === 200);
  });

  test('approve a join request exactly once', async () => {
    const applicationId = await joinRequests.createRequest(applicant);
    const responses = await Promise.all(
      [3, 4, 3, 4].map((role) => joinRequests.decide('approve', applicationId, { role })),
    );
    expect(responses.map(outcome).toSorted()).toEqual([
      'APPLICATION_STATE',
      'APPLICATION_STATE',
      'APPLICATION_STATE',
      'ok',
    ]);
    expect(await joinRequests.publishedStates()).toEqual(['PENDING', 'APPROVED']);
  });

  test('create one join request for several requests of one applicant', async () => {
    const familyCode = await joinRequests.createCode();
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => joinRequests.sendRequest(applicant, { familyCode })),
    );
    expect(new Set(responses.map(({ body }) => body['applicationId'])).size).toBe(1);
    expect(await joinRequests.publishedStates()).toEqual(['PENDING']);
  });

  test('approve one of two join requests for the last free place, and the other join request stays pending', async () => {
    const additionalMemberCount = 10;
    await environment.query(
      `INSERT INTO userctx.family_member
         (family_id, user_id, role, permissions, name, area_code, phone_number, appellation, joined_at)
       SELECT $1, gen_random_uuid(), 4, '{}', 'X', '+86', '13800000000', 'X', 0 FROM generate_series(1, $2)`,
      [family.familyId, additionalMemberCount],
    );
    const other = await environment.createPerson();
    const ids = [await joinRequests.createRequest(applicant), await joinRequests.createRequest(other)];
    const responses = await Promise.all(ids.map((id) => joinRequests.decide('approve', id)));
    expect(responses.map(outcome).toSorted()).toEqual(['LIMIT_REACHED', 'ok']);
    expect(
      [...(await joinRequests.listStates(applicant)), ...(await joinRequests.listStates(other))].toSorted(),
    ).toEqual(['APPROVED', 'PENDING']);
    expect(Object.keys(await rolesOf(environment, family.familyId))).toHaveLength(12);
  });
});
