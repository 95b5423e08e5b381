import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS } from '@family-watch/domain/families/contracts/family';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { FamilyOwnershipService } from '../../../src/families/family-ownership.service.js';
import { OwnershipService } from '../../../src/families/memberships/ownership.service.js';
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

const stepUp = { password: PASSWORD };
const transfer = (newOwner: ApiClient, actor = family.owner, body: object = { stepUp }) =>
  actor.post('family/transfer', { familyId: family.familyId, userId: newOwner.id, ...body });
const claim = (actor: ApiClient) => actor.post('family/ownership-claim/create', { familyId: family.familyId });
const createClaim = async (actor: ApiClient) => String((await claim(actor)).body['claimId']);
const claimReference = (claimId: string) => ({ familyId: family.familyId, claimId });
const listClaims = async (reader: ApiClient, query: object = {}) =>
  (await reader.get('family/ownership-claim/list', { familyId: family.familyId, ...query })).body as {
    items: { claimId: string; state: string; endedBy: string | null; endTime: number | null }[];
    nextCursor: string | null;
  };
const eventsSince = async (count: number) =>
  (await environment.events(family.familyId)).slice(count).map(({ name }) => name);
const runGrantJobAfterAWeek = () =>
  environment.app
    .get(OwnershipService, { strict: false })
    .grantDueClaims(Date.now() + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS + 1);

describe('an ownership transfer', () => {
  test('exchanges the roles of owner and guardian, in the family and in the contact lists', async () => {
    const before = (await environment.events(family.familyId)).length;
    expect(await transfer(guardian)).toEqual({ status: 200, body: {} });
    expect(await rolesOf(environment, family.familyId)).toEqual({ [family.owner.id]: 2, [guardian.id]: 1 });
    expect(await eventsSince(before)).toEqual([
      'userctx.family.transferred',
      'userctx.family.changed',
      'userctx.contact.changed',
      'userctx.contact.changed',
    ]);
    const [snapshot] = (await environment.events<FamilySnapshot>(family.familyId, 'userctx.family.changed')).slice(-1);
    expect(snapshot?.payload).toMatchObject({ ownerUserId: guardian.id, dissolved: false });
    const { body } = await guardian.get('device/contacts/list', { deviceId: family.watch.did });
    expect(body['items']).toEqual([
      expect.objectContaining({ userId: family.owner.id, role: 2 }),
      expect.objectContaining({ userId: guardian.id, role: 1 }),
    ]);
  });

  test('immediately grants the owner’s permissions to the new owner and withdraws them from the old owner', async () => {
    await transfer(guardian);
    expect(outcome(await family.owner.get('child/delete', { cid: family.cid }))).toBe('PERMISSION_MISSING');
    expect(outcome(await transfer(guardian))).toBe('PERMISSION_MISSING');
    expect(
      outcome(await guardian.post('family/member/remove', { familyId: family.familyId, userId: family.owner.id })),
    ).toBe('ok');
    expect(outcome(await family.owner.get('child/detail', { cid: family.cid }))).toBe('CHILD_NOT_FOUND');
  });

  test('requires a step-up before it checks the new owner', async () => {
    const stranger = await environment.createPerson();
    for (const body of [{}, { stepUp: {} }, { stepUp: { password: 'wrong horse battery' } }]) {
      for (const newOwner of [guardian, stranger])
        expect(outcome(await transfer(newOwner, family.owner, body))).toBe('STEP_UP_REQUIRED');
    }
    expect(await rolesOf(environment, family.familyId)).toMatchObject({ [family.owner.id]: 1 });
  });

  test.each([
    ['a caregiver', async () => addMember(environment, family, 3), 'ROLE_CHANGE_FORBIDDEN'],
    ['a contact', async () => addMember(environment, family, 4), 'ROLE_CHANGE_FORBIDDEN'],
    ['the owner', () => Promise.resolve(family.owner), 'ROLE_CHANGE_FORBIDDEN'],
    ['a stranger', () => environment.createPerson(), 'MEMBER_NOT_FOUND'],
    [
      'a guardian who owns a family',
      async () => {
        await guardian.createChild();
        return guardian;
      },
      'LIMIT_REACHED',
    ],
  ])('to %s is rejected and changes nothing', async (_, findPerson, reason) => {
    const person = await findPerson();
    const before = await rolesOf(environment, family.familyId);
    expect(outcome(await transfer(person))).toBe(reason);
    expect(await rolesOf(environment, family.familyId)).toEqual(before);
    expect(await environment.events(family.familyId, 'userctx.family.transferred')).toEqual([]);
  });

  test('succeeds for one of several concurrent requests', async () => {
    const other = await addMember(environment, family);
    const responses = await Promise.all([transfer(guardian), transfer(other), transfer(guardian)]);
    expect(responses.map(outcome).toSorted()).toEqual(['PERMISSION_MISSING', 'PERMISSION_MISSING', 'ok']);
    expect(Object.values(await rolesOf(environment, family.familyId)).toSorted()).toEqual([1, 2, 2]);
  });

  test('succeeds if and only if a concurrent request of the new owner to leave the family fails', async () => {
    const responses = await Promise.all([
      transfer(guardian),
      guardian.post('family/leave', { familyId: family.familyId }),
    ]);
    expect([
      ['ok', 'PERMISSION_MISSING'],
      ['MEMBER_NOT_FOUND', 'ok'],
    ]).toContainEqual(responses.map(outcome));
    expect(Object.values(await rolesOf(environment, family.familyId))).toContain(1);
  });

  test('does not separate the old owner from children that the old owner creates concurrently', async () => {
    const [, ...cids] = await Promise.all([transfer(guardian), family.owner.createChild(), family.owner.createChild()]);
    const { body } = await family.owner.get('family/list');
    const families = body['items'] as { familyId: string; role: number }[];
    const links = await environment.query<{ family_id: string }>(
      'SELECT family_id FROM userctx.family_child WHERE cid = ANY($1::uuid[])',
      [cids],
    );
    expect(links).toHaveLength(2);
    for (const { family_id } of links) expect(families.map(({ familyId }) => familyId)).toContain(family_id);
    expect(families.filter(({ role }) => role === 1).length).toBeLessThanOrEqual(1);
  });

  test('leaves the new owner with one family when the new owner creates a first child concurrently', async () => {
    const [response] = await Promise.all([transfer(guardian), guardian.createChild()]);
    expect(['ok', 'LIMIT_REACHED']).toContain(outcome(response));
    const owned = await environment.query('SELECT 1 FROM userctx.family WHERE owner_user_id = $1', [guardian.id]);
    expect(owned).toHaveLength(1);
  });

  test('is rejected as usual if the new owner creates a first child after the check that they own no family', async () => {
    const ownership = environment.app.get(FamilyOwnershipService, { strict: false });
    const ownsFamily = ownership.ownsFamily.bind(ownership);
    const check = jest.spyOn(ownership, 'ownsFamily').mockImplementationOnce(async (userId) => {
      const owns = await ownsFamily(userId);
      await guardian.createChild();
      return owns;
    });
    try {
      expect(outcome(await transfer(guardian))).toBe('LIMIT_REACHED');
      expect(await rolesOf(environment, family.familyId)).toEqual({ [family.owner.id]: 1, [guardian.id]: 2 });
    } finally {
      check.mockRestore();
    }
  });
});

describe('database constraints on the owner', () => {
  const DEMOTE_OWNER = 'UPDATE userctx.family_member SET role = 2 WHERE family_id = $1 AND role = 1';
  test.each([
    ['no owner', DEMOTE_OWNER],
    ['an owner who is not a member', 'DELETE FROM userctx.family_member WHERE family_id = $1 AND role = 1'],
    ['two owners', 'UPDATE userctx.family_member SET role = 1 WHERE family_id = $1'],
    [
      'an owner id that differs from the member with role owner',
      'UPDATE userctx.family SET owner_user_id = gen_random_uuid() WHERE family_id = $1',
    ],
  ])('reject a family with %s', async (_, sql) => {
    await expect(environment.query(sql, [family.familyId])).rejects.toMatchObject({
      message: expect.stringMatching(/family_owner_is_member|family_member_one_owner/),
    });
  });
});

describe('an ownership claim', () => {
  test('transfers the family after seven days and not before, and can be read afterwards', async () => {
    const claimId = await createClaim(guardian);
    await environment.app
      .get(OwnershipService, { strict: false })
      .grantDueClaims(Date.now() + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS - 60_000);
    expect(await rolesOf(environment, family.familyId)).toMatchObject({ [family.owner.id]: 1 });
    const before = (await environment.events(family.familyId)).length;
    await Promise.all([runGrantJobAfterAWeek(), runGrantJobAfterAWeek()]);
    expect(await rolesOf(environment, family.familyId)).toEqual({ [family.owner.id]: 2, [guardian.id]: 1 });
    expect(await eventsSince(before)).toEqual([
      'userctx.ownership-claim.changed',
      'userctx.family.transferred',
      'userctx.family.changed',
      'userctx.contact.changed',
      'userctx.contact.changed',
    ]);
    for (const reader of [family.owner, guardian]) {
      expect((await listClaims(reader)).items).toEqual([
        expect.objectContaining({ claimId, state: 'GRANTED', endedBy: null, endTime: expect.any(Number) }),
      ]);
    }
  });

  test('transfers the family although the claims of a hundred other families are due before it and fail', async () => {
    const familyIds = Array.from({ length: 100 }, () => crypto.randomUUID());
    // These families have no members, so they cannot be transferred.
    await environment.query(
      `INSERT INTO userctx.family (family_id, owner_user_id, name, created_at, dissolved_at)
       SELECT id, id, 'Without members', 0, $2 FROM unnest($1::uuid[]) AS id`,
      [familyIds, Date.now()],
    );
    await environment.query(
      `INSERT INTO userctx.ownership_claim (claim_id, family_id, claimant_user_id, state, created_at, deadline)
       SELECT id, id, id, 'OPEN', 0, 0 FROM unnest($1::uuid[]) AS id`,
      [familyIds],
    );
    await createClaim(guardian);
    await runGrantJobAfterAWeek();
    await environment.query('DELETE FROM userctx.family WHERE family_id = ANY($1)', [familyIds]);
    expect(await rolesOf(environment, family.familyId)).toEqual({ [family.owner.id]: 2, [guardian.id]: 1 });
  });

  test('can be created by guardians only, and is not visible to caregivers and contacts', async () => {
    await createClaim(guardian);
    for (const role of [3, 4]) {
      const person = await addMember(environment, family, role);
      expect(outcome(await claim(person))).toBe('PERMISSION_MISSING');
      expect(outcome(await person.get('family/ownership-claim/list', { familyId: family.familyId }))).toBe(
        'PERMISSION_MISSING',
      );
    }
    expect(outcome(await claim(family.owner))).toBe('PERMISSION_MISSING');
  });

  test('is rejected while another claim is open, also for concurrent requests', async () => {
    const other = await addMember(environment, family);
    const responses = await Promise.all([claim(guardian), claim(other), claim(guardian)]);
    expect(responses.map(outcome).toSorted()).toEqual(['CLAIM_STATE', 'CLAIM_STATE', 'ok']);
    expect((await listClaims(family.owner)).items).toHaveLength(1);
  });

  test('can be refused by the owner only and withdrawn by the claimant only, and a refusal ends the claim', async () => {
    const other = await addMember(environment, family);
    const claimId = await createClaim(guardian);
    const end = (actor: ApiClient, action: 'refuse' | 'withdraw') =>
      actor.post(`family/ownership-claim/${action}`, claimReference(claimId));
    expect(outcome(await end(other, 'refuse'))).toBe('PERMISSION_MISSING');
    expect(outcome(await end(other, 'withdraw'))).toBe('PERMISSION_MISSING');
    expect(outcome(await end(family.owner, 'withdraw'))).toBe('PERMISSION_MISSING');
    expect(outcome(await end(family.owner, 'refuse'))).toBe('ok');
    expect(outcome(await end(family.owner, 'refuse'))).toBe('ok');
    expect(outcome(await end(guardian, 'withdraw'))).toBe('CLAIM_STATE');
    await runGrantJobAfterAWeek();
    expect(await rolesOf(environment, family.familyId)).toMatchObject({ [family.owner.id]: 1 });
    expect(await environment.events(family.familyId, 'userctx.ownership-claim.changed')).toHaveLength(2);
  });

  test('is either granted or refused when the owner refuses it at its deadline', async () => {
    for (let round = 0; round < 5; round += 1) {
      const claimId = await createClaim(guardian);
      const [refusal] = await Promise.all([
        family.owner.post('family/ownership-claim/refuse', claimReference(claimId)),
        runGrantJobAfterAWeek(),
      ]);
      const isTransferred = (await rolesOf(environment, family.familyId))[guardian.id] === 1;
      expect(outcome(refusal)).toBe(isTransferred ? 'PERMISSION_MISSING' : 'ok');
      expect((await listClaims(guardian)).items[0]?.state).toBe(isTransferred ? 'GRANTED' : 'REFUSED');
      if (isTransferred) return;
    }
  });

  test.each([
    [
      'made a caregiver by member/update',
      () => family.owner.post('family/member/update', { familyId: family.familyId, userId: guardian.id, role: 3 }),
    ],
    [
      'made a contact by contacts/update',
      async () => {
        const { body } = await family.owner.get('device/contacts/list', { deviceId: family.watch.did });
        const contact = (body['items'] as { refId: string; userId?: string }[]).find(
          ({ userId }) => userId === guardian.id,
        );
        const change = { deviceId: family.watch.did, refId: contact?.refId, role: 4 };
        return family.owner.post('device/contacts/update', change);
      },
    ],
    ['no longer a member after leaving', () => guardian.post('family/leave', { familyId: family.familyId })],
    [
      'removed by the owner',
      () => family.owner.post('family/member/remove', { familyId: family.familyId, userId: guardian.id }),
    ],
  ])('is withdrawn when the claimant is %s', async (_, change) => {
    await createClaim(guardian);
    expect(outcome(await change())).toBe('ok');
    expect((await listClaims(family.owner)).items).toMatchObject([{ state: 'WITHDRAWN', endedBy: null }]);
    await runGrantJobAfterAWeek();
    expect(await rolesOf(environment, family.familyId)).toMatchObject({ [family.owner.id]: 1 });
  });

  test('is withdrawn at its deadline if the claimant owns another family, so that other guardians can claim', async () => {
    await createClaim(guardian);
    await guardian.createChild();
    await runGrantJobAfterAWeek();
    expect((await listClaims(family.owner)).items).toMatchObject([{ state: 'WITHDRAWN' }]);
    expect(outcome(await claim(guardian))).toBe('LIMIT_REACHED');
    expect(outcome(await claim(await addMember(environment, family)))).toBe('ok');
  });

  test('can be created five times a day, and the sixth request is rejected and publishes no event', async () => {
    for (let round = 0; round < 5; round += 1) {
      const claimId = await createClaim(guardian);
      expect(outcome(await guardian.post('family/ownership-claim/withdraw', claimReference(claimId)))).toBe('ok');
    }
    const eventCount = (await environment.events(family.familyId, 'userctx.ownership-claim.changed')).length;
    expect(outcome(await claim(guardian))).toBe('LIMIT_REACHED');
    expect(await environment.events(family.familyId, 'userctx.ownership-claim.changed')).toHaveLength(eventCount);
    await environment.query(
      'UPDATE userctx.ownership_claim SET created_at = created_at - 86400001 WHERE family_id = $1',
      [family.familyId],
    );
    expect(outcome(await claim(guardian))).toBe('ok');
  });

  test('appears once in the pages of the list, which starts with the newest claim', async () => {
    const createdIds: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      createdIds.unshift(await createClaim(guardian));
      await guardian.post('family/ownership-claim/withdraw', claimReference(createdIds[0] ?? ''));
    }
    const listedIds: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await listClaims(family.owner, { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      listedIds.push(...page.items.map(({ claimId }) => claimId));
      cursor = page.nextCursor;
    }
    expect(listedIds).toEqual(createdIds);
  });
});
