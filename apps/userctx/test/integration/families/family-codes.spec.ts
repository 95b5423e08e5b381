import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { JOIN_REQUEST_TTL_MS, JOIN_REQUEST_RETENTION_MS } from '@family-watch/domain/families/contracts/join-request';
import { ClearChildFromJoinRequestsHandler } from '../../../src/contexts/memberships/join-requests/clear-child-from-join-requests.handler.js';
import { JoinRequestExpiryJob } from '../../../src/contexts/memberships/join-requests/join-request-expiry.job.js';
import { UserctxUnitOfWork } from '../../../src/infrastructure/userctx.unit-of-work.js';
import { outcome, createFamily } from '../../support/family-fixture.js';
import type { FamilyFixture } from '../../support/family-fixture.js';
import { JoinRequestClient } from '../../support/join-request-client.js';
import { FamilyTestEnvironment } from '../../support/family-test-environment.js';
import type { Person } from '../../support/person.js';

let world: FamilyTestEnvironment;
let home: FamilyFixture;
let desk: JoinRequestClient;
let applicant: Person;

beforeAll(async () => {
  // The tests say when an event reaches its handlers.
  world = await FamilyTestEnvironment.open({ relay: true });
});
afterAll(() => world.close());
beforeEach(async () => {
  home = await createFamily(world);
  desk = new JoinRequestClient(world, home);
  applicant = await world.person('Bo');
  // All of this suite comes from one address.
  await world.query('delete from userctx.attempt_counter');
});

describe('codes', () => {
  test.each<[string, () => Promise<object>]>([
    ['a guess', () => Promise.resolve({ familyCode: '0123456789' })],
    ['nonsense', () => Promise.resolve({ familyCode: '\u{1F980}' })],
    ['a guessed invitation', () => Promise.resolve({ inviteCode: 'x' })],
    [
      'one that a newer one ended',
      async () => {
        const familyCode = await desk.code();
        await desk.code();
        return { familyCode };
      },
    ],
    [
      'one that has run out',
      async () => {
        const familyCode = await desk.code();
        await world.query('update userctx.family_code set expires_at = 1 where did = $1', [home.watch.did]);
        return { familyCode };
      },
    ],
    [
      'one of a watch that acts as another child by now',
      async () => {
        const familyCode = await desk.code();
        const other = await createFamily(world);
        await world.query('update userctx.family_child set did = null where did = any($1::bigint[])', [
          [home.watch.did, other.watch.did],
        ]);
        await world.query('update userctx.family_child set did = $1 where cid = $2', [home.watch.did, other.cid]);
        return { familyCode };
      },
    ],
  ])('%s opens nothing', async (_, fields) => {
    expect(outcome(await desk.applyWith(applicant, await fields()))).toBe('CODE_INVALID');
    expect(await desk.statesOf(applicant)).toEqual([]);
  });

  test.each([{}, { familyCode: '0123456789', inviteCode: 'x' }])('%j is not one code', async (fields) => {
    const { status, body } = await desk.applyWith(applicant, fields);
    expect([status, body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body['details']).toEqual([expect.objectContaining({ field: 'familyCode', rule: 'isOneCode' })]);
  });

  test('are read in any case and with gaps, and are not stored', async () => {
    const familyCode = await desk.code();
    const typed = `${familyCode.slice(0, 5)}-${familyCode.slice(5)}`.toLowerCase();
    expect(outcome(await desk.applyWith(applicant, { familyCode: typed }))).toBe('ok');
    expect(JSON.stringify(await world.query('select * from userctx.family_code'))).not.toContain(familyCode);
  });

  test('cannot be tried for ever; the count stands although each try was refused', async () => {
    const tries: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      tries.push(outcome(await desk.applyWith(applicant, { familyCode: '0123456789' })));
    }
    expect(tries.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'CODE_INVALID'));
    expect(tries.slice(20)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
  });

  test('cannot be tried from one address for ever, by however many accounts', async () => {
    await desk.applyWith(applicant, { familyCode: '0123456789' });
    await world.query('update userctx.attempt_counter set attempts = 300');
    expect(outcome(await desk.applyWith(await world.person(), { familyCode: '0123456789' }))).toBe('RATE_LIMITED');
  });

  test('a family has at most twenty who wait', async () => {
    await world.query(
      `insert into userctx.family_application (application_id, family_id, applicant_user_id, state, name, area_code,
         phone_number, appellation, identity_type, created_at, expires_at, changed_at)
       select gen_random_uuid(), $1, gen_random_uuid(), 'PENDING', 'X', '+86', '1', 'X', 0, 0, $2, 0
         from generate_series(1, 20)`,
      [home.familyId, Date.now() + 60_000],
    );
    expect(outcome(await desk.applyWith(applicant, { familyCode: await desk.code() }))).toBe('LIMIT_REACHED');
    const answer = await desk.applyWith(applicant, { familyCode: '0123456789' });
    expect(outcome(answer)).toBe('CODE_INVALID');
  });
});

describe('what is kept', () => {
  test('rejections for as long as the family exists, the rest for ninety days', async () => {
    const rejected = await world.person();
    await desk.decide('reject', await desk.apply(rejected));
    await desk.cancel(await desk.apply(applicant), applicant);
    const job = world.app.get(JoinRequestExpiryJob, { strict: false });
    await job.run(Date.now() + JOIN_REQUEST_RETENTION_MS - 60_000);
    expect(await desk.statesOf(applicant)).toEqual(['CANCELLED']);
    await job.run(Date.now() + JOIN_REQUEST_RETENTION_MS + JOIN_REQUEST_TTL_MS);
    expect([await desk.statesOf(applicant), await desk.statesOf(rejected)]).toEqual([[], ['REJECTED']]);
  });

  test('not through which child, once that is erased', async () => {
    await desk.apply(applicant);
    const handler = world.app.get(ClearChildFromJoinRequestsHandler, { strict: false });
    const event = { id: home.cid, key: home.familyId, time: 0, payload: { familyId: home.familyId, cid: home.cid } };
    await world.app
      .get(UserctxUnitOfWork, { strict: false })
      .run(() => handler.handle({ ...event, name: 'userctx.child.erased' }));
    const [row] = await world.query('select cid, did from userctx.family_application where family_id = $1', [
      home.familyId,
    ]);
    expect(row).toEqual({ cid: null, did: null });
  });
});
