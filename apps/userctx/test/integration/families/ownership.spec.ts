import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS } from '@family-watch/domain/families/contracts/ownership-claim';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import { ClaimGrantJob } from '../../../src/contexts/memberships/ownership/claim-grant.job.js';
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

const stepUp = { password: PASSWORD };
const transfer = (to: Person, by = home.owner, more: object = { stepUp }) =>
  by.post('family/transfer', { familyId: home.familyId, userId: to.id, ...more });
const claim = (by: Person) => by.post('family/ownership-claim/create', { familyId: home.familyId });
const claimIn = async (by: Person) => String((await claim(by)).body['claimId']);
const aboutClaim = (claimId: string) => ({ familyId: home.familyId, claimId });
const list = async (by: Person, query: object = {}) =>
  (await by.get('family/ownership-claim/list', { familyId: home.familyId, ...query })).body as {
    items: { claimId: string; state: string; endedBy: string | null; endTime: number | null }[];
    nextCursor: string | null;
  };
const eventsSince = async (count: number) => (await world.events(home.familyId)).slice(count).map(({ name }) => name);
const weekLater = () =>
  world.app.get(ClaimGrantJob, { strict: false }).run(Date.now() + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS + 1);

describe('a transfer', () => {
  test('makes the guardian the owner and the owner a guardian, in the family and among the contacts', async () => {
    const before = (await world.events(home.familyId)).length;
    expect(await transfer(guardian)).toEqual({ status: 200, body: {} });
    expect(await rolesOf(world, home.familyId)).toEqual({ [home.owner.id]: 2, [guardian.id]: 1 });
    expect(await eventsSince(before)).toEqual([
      'userctx.family.transferred',
      'userctx.family.changed',
      'userctx.contact.changed',
      'userctx.contact.changed',
    ]);
    const [snapshot] = (await world.events<FamilySnapshot>(home.familyId, 'userctx.family.changed')).slice(-1);
    expect(snapshot?.payload).toMatchObject({ ownerUserId: guardian.id, dissolved: false });
    const { body } = await guardian.get('device/contacts/list', { deviceId: home.watch.did });
    expect(body['items']).toEqual([
      expect.objectContaining({ userId: home.owner.id, role: 2 }),
      expect.objectContaining({ userId: guardian.id, role: 1 }),
    ]);
  });

  test('takes the powers of the owner at once, and gives them', async () => {
    await transfer(guardian);
    expect(outcome(await home.owner.get('child/delete', { cid: home.cid }))).toBe('PERMISSION_MISSING');
    expect(outcome(await transfer(guardian))).toBe('PERMISSION_MISSING');
    expect(
      outcome(await guardian.post('family/member/remove', { familyId: home.familyId, userId: home.owner.id })),
    ).toBe('ok');
    expect(outcome(await home.owner.get('child/detail', { cid: home.cid }))).toBe('CHILD_NOT_FOUND');
  });

  test('needs a step-up, before it is said whether it could be', async () => {
    const stranger = await world.person();
    for (const more of [{}, { stepUp: {} }, { stepUp: { password: 'wrong horse battery' } }]) {
      for (const to of [guardian, stranger])
        expect(outcome(await transfer(to, home.owner, more))).toBe('STEP_UP_REQUIRED');
    }
    expect(await rolesOf(world, home.familyId)).toMatchObject({ [home.owner.id]: 1 });
  });

  test.each([
    ['a caregiver', async () => addMember(world, home, 3), 'ROLE_CHANGE_FORBIDDEN'],
    ['a contact', async () => addMember(world, home, 4), 'ROLE_CHANGE_FORBIDDEN'],
    ['the owner', () => Promise.resolve(home.owner), 'ROLE_CHANGE_FORBIDDEN'],
    ['a stranger', () => world.person(), 'MEMBER_NOT_FOUND'],
    [
      'a guardian who owns a family',
      async () => {
        await guardian.createChild();
        return guardian;
      },
      'LIMIT_REACHED',
    ],
  ])('to %s is refused, and nothing changes', async (_, find, reason) => {
    const to = await find();
    const before = await rolesOf(world, home.familyId);
    expect(outcome(await transfer(to))).toBe(reason);
    expect(await rolesOf(world, home.familyId)).toEqual(before);
    expect(await world.events(home.familyId, 'userctx.family.transferred')).toEqual([]);
  });

  test('to two at once reaches one', async () => {
    const other = await addMember(world, home);
    const answers = await Promise.all([transfer(guardian), transfer(other), transfer(guardian)]);
    expect(answers.map(outcome).toSorted()).toEqual(['PERMISSION_MISSING', 'PERMISSION_MISSING', 'ok']);
    expect(Object.values(await rolesOf(world, home.familyId)).toSorted()).toEqual([1, 2, 2]);
  });

  test('and the guardian leaving at the same moment: the family has an owner in every case', async () => {
    const answers = await Promise.all([transfer(guardian), guardian.post('family/leave', { familyId: home.familyId })]);
    expect([
      ['ok', 'PERMISSION_MISSING'],
      ['MEMBER_NOT_FOUND', 'ok'],
    ]).toContainEqual(answers.map(outcome));
    expect(Object.values(await rolesOf(world, home.familyId))).toContain(1);
  });

  test('and a child of the old owner at the same moment: it lands in a family of its creator', async () => {
    const [, ...cids] = await Promise.all([transfer(guardian), home.owner.createChild(), home.owner.createChild()]);
    const { body } = await home.owner.get('family/list');
    const families = body['items'] as { familyId: string; role: number }[];
    const links = await world.query<{ family_id: string }>(
      'select family_id from userctx.family_child where cid = any($1::uuid[])',
      [cids],
    );
    expect(links).toHaveLength(2);
    for (const { family_id: id } of links) expect(families.map(({ familyId }) => familyId)).toContain(id);
    expect(families.filter(({ role }) => role === 1).length).toBeLessThanOrEqual(1);
  });

  test('and a first child of the new owner at the same moment: nobody owns two families', async () => {
    const [moved] = await Promise.all([transfer(guardian), guardian.createChild()]);
    expect(['ok', 'LIMIT_REACHED']).toContain(outcome(moved));
    const owned = await world.query('select 1 from userctx.family where owner_user_id = $1', [guardian.id]);
    expect(owned).toHaveLength(1);
  });
});

describe('exactly one owner, by constraints', () => {
  const OWNER = 'update userctx.family_member set role = 2 where family_id = $1 and role = 1';
  test.each([
    ['none', OWNER],
    ['one who is no member', 'delete from userctx.family_member where family_id = $1 and role = 1'],
    ['two', 'update userctx.family_member set role = 1 where family_id = $1'],
    ['another than it says', 'update userctx.family set owner_user_id = gen_random_uuid() where family_id = $1'],
  ])('%s cannot be stored', async (_, sql) => {
    await expect(world.query(sql, [home.familyId])).rejects.toMatchObject({
      message: expect.stringMatching(/family_owner_is_member|family_member_one_owner/),
    });
  });
});

describe('a claim of ownership', () => {
  test('moves the family after seven days and not before, and stays readable', async () => {
    const claimId = await claimIn(guardian);
    await world.app
      .get(ClaimGrantJob, { strict: false })
      .run(Date.now() + OWNERSHIP_CLAIM_OBJECTION_PERIOD_MS - 60_000);
    expect(await rolesOf(world, home.familyId)).toMatchObject({ [home.owner.id]: 1 });
    const before = (await world.events(home.familyId)).length;
    await Promise.all([weekLater(), weekLater()]);
    expect(await rolesOf(world, home.familyId)).toEqual({ [home.owner.id]: 2, [guardian.id]: 1 });
    expect(await eventsSince(before)).toEqual([
      'userctx.ownership-claim.changed',
      'userctx.family.transferred',
      'userctx.family.changed',
      'userctx.contact.changed',
      'userctx.contact.changed',
    ]);
    for (const reader of [home.owner, guardian]) {
      expect((await list(reader)).items).toEqual([
        expect.objectContaining({ claimId, state: 'GRANTED', endedBy: null, endTime: expect.any(Number) }),
      ]);
    }
  });

  test('is a guardian’s alone; caregivers and contacts do not even see it', async () => {
    await claimIn(guardian);
    for (const role of [3, 4]) {
      const person = await addMember(world, home, role);
      expect(outcome(await claim(person))).toBe('PERMISSION_MISSING');
      expect(outcome(await person.get('family/ownership-claim/list', { familyId: home.familyId }))).toBe(
        'PERMISSION_MISSING',
      );
    }
    expect(outcome(await claim(home.owner))).toBe('PERMISSION_MISSING');
  });

  test('is one at a time, of several at once too', async () => {
    const other = await addMember(world, home);
    const answers = await Promise.all([claim(guardian), claim(other), claim(guardian)]);
    expect(answers.map(outcome).toSorted()).toEqual(['CLAIM_STATE', 'CLAIM_STATE', 'ok']);
    expect((await list(home.owner)).items).toHaveLength(1);
  });

  test('is refused by the owner alone, withdrawn by the claimant alone, and over after either', async () => {
    const other = await addMember(world, home);
    const claimId = await claimIn(guardian);
    const end = (by: Person, how: string) => by.post(`family/ownership-claim/${how}`, aboutClaim(claimId));
    expect(outcome(await end(other, 'refuse'))).toBe('PERMISSION_MISSING');
    expect(outcome(await end(other, 'withdraw'))).toBe('PERMISSION_MISSING');
    expect(outcome(await end(home.owner, 'withdraw'))).toBe('PERMISSION_MISSING');
    expect(outcome(await end(home.owner, 'refuse'))).toBe('ok');
    expect(outcome(await end(home.owner, 'refuse'))).toBe('ok');
    expect(outcome(await end(guardian, 'withdraw'))).toBe('CLAIM_STATE');
    await weekLater();
    expect(await rolesOf(world, home.familyId)).toMatchObject({ [home.owner.id]: 1 });
    expect(await world.events(home.familyId, 'userctx.ownership-claim.changed')).toHaveLength(2);
  });

  test('refusal and the last second: the family has one owner, and both say the same', async () => {
    for (let round = 0; round < 5; round += 1) {
      const claimId = await claimIn(guardian);
      const [refused] = await Promise.all([
        home.owner.post('family/ownership-claim/refuse', aboutClaim(claimId)),
        weekLater(),
      ]);
      const moved = (await rolesOf(world, home.familyId))[guardian.id] === 1;
      expect(outcome(refused)).toBe(moved ? 'PERMISSION_MISSING' : 'ok');
      expect((await list(guardian)).items[0]?.state).toBe(moved ? 'GRANTED' : 'REFUSED');
      if (moved) return;
    }
  });

  test.each([
    [
      'a caregiver by member/update',
      () => home.owner.post('family/member/update', { familyId: home.familyId, userId: guardian.id, role: 3 }),
    ],
    [
      'a contact by contacts/update',
      async () => {
        const { body } = await home.owner.get('device/contacts/list', { deviceId: home.watch.did });
        const contact = (body['items'] as { refId: string; userId?: string }[]).find(
          ({ userId }) => userId === guardian.id,
        );
        const change = { deviceId: home.watch.did, refId: contact?.refId, role: 4 };
        return home.owner.post('device/contacts/update', change);
      },
    ],
    ['gone', () => guardian.post('family/leave', { familyId: home.familyId })],
    ['removed', () => home.owner.post('family/member/remove', { familyId: home.familyId, userId: guardian.id })],
  ])('is lost by a guardian who is %s', async (_, change) => {
    await claimIn(guardian);
    expect(outcome(await change())).toBe('ok');
    expect((await list(home.owner)).items).toMatchObject([{ state: 'WITHDRAWN', endedBy: null }]);
    await weekLater();
    expect(await rolesOf(world, home.familyId)).toMatchObject({ [home.owner.id]: 1 });
  });

  test('of a guardian who has a family by now ends, and another one can be made', async () => {
    await claimIn(guardian);
    await guardian.createChild();
    await weekLater();
    expect((await list(home.owner)).items).toMatchObject([{ state: 'WITHDRAWN' }]);
    expect(outcome(await claim(guardian))).toBe('LIMIT_REACHED');
    expect(outcome(await claim(await addMember(world, home)))).toBe('ok');
  });

  test('is made five times a day; the sixth is refused and nobody is told', async () => {
    for (let times = 0; times < 5; times += 1) {
      const claimId = await claimIn(guardian);
      expect(outcome(await guardian.post('family/ownership-claim/withdraw', aboutClaim(claimId)))).toBe('ok');
    }
    const told = (await world.events(home.familyId, 'userctx.ownership-claim.changed')).length;
    expect(outcome(await claim(guardian))).toBe('LIMIT_REACHED');
    expect(await world.events(home.familyId, 'userctx.ownership-claim.changed')).toHaveLength(told);
    await world.query('update userctx.ownership_claim set created_at = created_at - 86400001 where family_id = $1', [
      home.familyId,
    ]);
    expect(outcome(await claim(guardian))).toBe('ok');
  });

  test('list: pages in order, each claim once', async () => {
    const made: string[] = [];
    for (let times = 0; times < 3; times += 1) {
      made.unshift(await claimIn(guardian));
      await guardian.post('family/ownership-claim/withdraw', aboutClaim(made[0] ?? ''));
    }
    const read: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list(home.owner, { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      read.push(...page.items.map(({ claimId }) => claimId));
      cursor = page.nextCursor;
    }
    expect(read).toEqual(made);
  });
});
