import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { JoinRequestExpiryJob } from '../../../src/contexts/memberships/join-requests/join-request-expiry.job.js';
import { outcome, rolesOf, createFamily, addMember } from '../../support/family-fixture.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { JoinRequestClient } from '../../support/join-request-client.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';
import type { Answer, Person } from '../../support/person.js';

let world: FamilyTestEnvironment;
let home: FamilyFixture;
let desk: JoinRequestClient;
let applicant: Person;

beforeAll(async () => {
  world = await FamilyTestEnvironment.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  home = await createFamily(world);
  desk = new JoinRequestClient(world, home);
  applicant = await world.person('Bo');
  // All of this suite comes from one address.
  await world.query('delete from userctx.attempt_counter');
});

describe('an application', () => {
  test('is approved by the owner, with the role, permissions and name that the owner chooses', async () => {
    const applicationId = await desk.apply(applicant, { appellation: 'The King', identityType: 6 });
    const { body } = await desk.list(home.owner, { familyId: home.familyId });
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
    const choice = { role: 3, permissions: ['CHAT', 'SETTINGS'], appellation: 'Uncle Bo', identityType: 5 };
    expect(await desk.decide('approve', applicationId, choice)).toMatchObject({
      status: 200,
      body: { state: 'APPROVED' },
    });
    const [snapshot] = (await world.events<FamilySnapshot>(home.familyId, 'userctx.family.changed')).slice(-1);
    expect(snapshot?.payload.members[1]).toMatchObject({ userId: applicant.id, role: 3, permissions: ['CHAT'] });
    const contacts = await home.owner.get('device/contacts/list', { deviceId: home.watch.did });
    expect((contacts.body['items'] as object[])[1]).toMatchObject({
      userId: applicant.id,
      role: 3,
      name: 'Bo',
      appellation: 'Uncle Bo',
      identityType: 5,
    });
    expect(await desk.told()).toEqual(['PENDING', 'APPROVED']);
  });

  test('tells the applicant nothing of the family', async () => {
    const applicationId = await desk.apply(applicant);
    const { body } = await desk.list(applicant);
    const text = JSON.stringify(body);
    for (const secret of [home.familyId, home.cid, home.owner.id, String(home.watch.did)]) {
      expect(text).not.toContain(secret);
    }
    expect(body['items']).toEqual([expect.not.objectContaining({ applicant: expect.anything() })]);
    expect(text).toContain(applicationId);
  });

  test('again joins what is under way', async () => {
    const applicationId = await desk.apply(applicant);
    expect(await desk.apply(applicant)).toBe(applicationId);
    expect(await desk.told()).toEqual(['PENDING']);
  });

  test('is decided by the owner alone', async () => {
    const applicationId = await desk.apply(applicant);
    for (const role of [2, 3, 4]) {
      const member = await addMember(world, home, role);
      for (const how of ['approve', 'reject'] as const) {
        expect(outcome(await desk.decide(how, applicationId, {}, member))).toBe('PERMISSION_MISSING');
      }
    }
    expect(outcome(await desk.decide('approve', applicationId, {}, applicant))).toBe('FAMILY_NOT_FOUND');
    expect(outcome(await desk.decide('approve', applicationId, { role: 1 }))).toBe('ROLE_CHANGE_FORBIDDEN');
    expect(await desk.statesOf(applicant)).toEqual(['PENDING']);
  });

  test('of another family is one of nothing, for its owner and for the applicant', async () => {
    const applicationId = await desk.apply(applicant);
    const other = await createFamily(world);
    const foreign = { familyId: other.familyId };
    const answers: Answer[] = [
      await desk.decide('approve', applicationId, foreign, other.owner),
      await desk.decide('reject', applicationId, foreign, other.owner),
      await desk.cancel(applicationId, other.owner),
      await desk.cancel('nonsense', other.owner),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.body['reason']).toBe('APPLICATION_NOT_FOUND');
    expect(await desk.statesOf(applicant)).toEqual(['PENDING']);
  });

  test('expires after seven days, and is not approved in its last moment before the job', async () => {
    const applicationId = await desk.apply(applicant);
    await world.query('update userctx.family_application set expires_at = 1 where application_id = $1', [
      applicationId,
    ]);
    expect(outcome(await desk.decide('approve', applicationId))).toBe('APPLICATION_STATE');
    await world.app.get(JoinRequestExpiryJob, { strict: false }).run();
    expect(await desk.statesOf(applicant)).toEqual(['EXPIRED']);
    expect(await desk.apply(applicant)).toBe(applicationId);
    expect(await desk.told()).toEqual(['PENDING', 'EXPIRED', 'PENDING']);
  });
});

describe('who was rejected', () => {
  test('stays out by watch, and by an invitation of before', async () => {
    const invited = await home.owner.post('family/invitation/create', { familyId: home.familyId, role: 3 });
    const { code } = invited.body;
    await desk.decide('reject', await desk.apply(applicant));
    await desk.decide('reject', await desk.apply(await world.person()));
    expect(outcome(await desk.applyWith(applicant, { familyCode: await desk.code() }))).toBe('APPLICATION_REFUSED');
    expect(outcome(await desk.applyWith(applicant, { inviteCode: code }))).toBe('APPLICATION_REFUSED');
    expect(outcome(await applicant.post('family/invitation/accept', { code }))).toBe('INVITATION_INVALID');
    expect(await rolesOf(world, home.familyId)).toEqual({ [home.owner.id]: 1 });
    // The refusal has not used it up.
    expect(outcome(await (await world.person()).post('family/invitation/accept', { code }))).toBe('ok');
  });

  test('comes in by a new invitation, and is then as anybody else', async () => {
    await desk.decide('reject', await desk.apply(applicant));
    await new Promise((resolve) => setTimeout(resolve, 2));
    await home.owner.takeIn(applicant, { role: 3 });
    await applicant.post('family/leave', { familyId: home.familyId });
    expect(outcome(await desk.applyWith(applicant, { familyCode: await desk.code() }))).toBe('ok');
  });
});

describe('at the same moment', () => {
  const ROUNDS = [1, 2, 3, 4, 5];

  test.each(ROUNDS)('approve and cancel: one of them holds (%i)', async () => {
    const applicationId = await desk.apply(applicant);
    const answers = await Promise.all([desk.decide('approve', applicationId), desk.cancel(applicationId, applicant)]);
    expect([
      ['ok', 'APPLICATION_STATE'],
      ['APPLICATION_STATE', 'ok'],
    ]).toContainEqual(answers.map(outcome));
    const isMember = applicant.id in (await rolesOf(world, home.familyId));
    expect(isMember).toBe(answers[0].status === 200);
    expect(await desk.statesOf(applicant)).toEqual([isMember ? 'APPROVED' : 'CANCELLED']);
    expect(await desk.told()).toHaveLength(2);
  });

  test.each(ROUNDS)('approve and reject: one of them holds (%i)', async () => {
    const applicationId = await desk.apply(applicant);
    const answers = await Promise.all([desk.decide('reject', applicationId), desk.decide('approve', applicationId)]);
    expect(answers.map(outcome).toSorted()).toEqual(['APPLICATION_STATE', 'ok']);
    expect(applicant.id in (await rolesOf(world, home.familyId))).toBe(answers[1].status === 200);
  });

  test('approved many times makes one member', async () => {
    const applicationId = await desk.apply(applicant);
    const answers = await Promise.all([3, 4, 3, 4].map((role) => desk.decide('approve', applicationId, { role })));
    expect(answers.map(outcome).toSorted()).toEqual([
      'APPLICATION_STATE',
      'APPLICATION_STATE',
      'APPLICATION_STATE',
      'ok',
    ]);
    expect(await desk.told()).toEqual(['PENDING', 'APPROVED']);
  });

  test('made many times, by one person, is one', async () => {
    const familyCode = await desk.code();
    const answers = await Promise.all(Array.from({ length: 6 }, () => desk.applyWith(applicant, { familyCode })));
    expect(new Set(answers.map(({ body }) => body['applicationId'])).size).toBe(1);
    expect(await desk.told()).toEqual(['PENDING']);
  });

  test('the last place in the family goes to one; the other application stays', async () => {
    const members = 10;
    await world.query(
      `insert into userctx.family_member
         (family_id, user_id, role, permissions, name, area_code, phone_number, appellation, joined_at)
       select $1, gen_random_uuid(), 4, '{}', 'X', '+86', '13800000000', 'X', 0 from generate_series(1, $2)`,
      [home.familyId, members],
    );
    const other = await world.person();
    const ids = [await desk.apply(applicant), await desk.apply(other)];
    const answers = await Promise.all(ids.map((id) => desk.decide('approve', id)));
    expect(answers.map(outcome).toSorted()).toEqual(['LIMIT_REACHED', 'ok']);
    expect([...(await desk.statesOf(applicant)), ...(await desk.statesOf(other))].toSorted()).toEqual([
      'APPROVED',
      'PENDING',
    ]);
    expect(Object.keys(await rolesOf(world, home.familyId))).toHaveLength(12);
  });
});
