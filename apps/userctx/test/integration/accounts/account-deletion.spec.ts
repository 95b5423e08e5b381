import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { ErasingApp, ErasureCounts } from '@family-watch/domain/kernel/contracts/account-erasure';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { AccountDeletionService } from '../../../src/privacy/account-deletion/account-deletion.service.js';
import { AccountDeletionRepository } from '../../../src/privacy/account-deletion/account-deletion.repository.js';
import { PersonalDataRepository } from '../../../src/privacy/account-deletion/personal-data.repository.js';
import { PersonErasureService } from '../../../src/privacy/account-deletion/person-erasure.service.js';
import { UserctxAccountErasure } from '../../../src/privacy/account-deletion/userctx-account-erasure.service.js';
import { FamilySuccessionService } from '../../../src/families/memberships/family-succession.service.js';
import { UserctxOutbox } from '../../../src/infrastructure/userctx-infrastructure.js';
import { CHILD, type ApiClient } from '../../support/api-client.js';
import { addMember, createFamily, outcome, rolesOf } from '../../support/family-fixture.js';
import { FamilyTestEnvironment, PASSWORD } from '../../support/family-test-environment.js';

const GRACE_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
const NO_ABORT = new AbortController().signal;

/** Time of the last pass, which moves forward with each pass. */
let passTime = Date.now();

let environment: FamilyTestEnvironment;
let deletions: AccountDeletionService;

beforeAll(async () => {
  // The test runs the jobs with a moved clock, and acts as gateway and mcdisk.
  environment = await FamilyTestEnvironment.open({
    disabledJobs: ['userctx.account-deletion.erase-due', 'userctx.account-erasure.continue'],
  });
  deletions = environment.app.get(AccountDeletionService, { strict: false });
});
afterAll(() => environment.close());
afterEach(() => {
  jest.restoreAllMocks();
});

const request = async (person: ApiClient) => {
  const { status, body } = await person.post('account/delete', { stepUp: { password: PASSWORD } });
  expect(status).toBe(200);
  return body as { receiptId: string; eraseAt: number; ownedFamily: object | null };
};
const stateOf = async (person: ApiClient, receiptId: string) =>
  (await person.get('account/delete/receipt/get', { receiptId })).body['state'];
const runJob = (after = GRACE_MS) => deletions.processDue(Date.now() + after);
const confirm = (app: ErasingApp, receiptId: string, counts: ErasureCounts = { thing: 3 }) =>
  environment.publish([
    {
      id: randomUUID(),
      name: `${app}.account-erasure.confirmed`,
      key: `erasure:${receiptId}`,
      time: Date.now(),
      payload: { receiptId, counts, time: Date.now() },
    },
  ]);
const runPass = (now: number) => environment.app.get(UserctxAccountErasure, { strict: false }).continue(now, NO_ABORT);
/** Runs passes until userctx has confirmed the erasure. */
const finishOwnErasure = () =>
  waitFor(async () => {
    passTime += HOUR_MS;
    await runPass(passTime);
    expect(await environment.query('SELECT FROM userctx.account_erasure WHERE confirmed_at IS NULL')).toEqual([]);
  });
const countErasedEvents = async (receiptId: string) =>
  (
    await environment.query(
      `SELECT FROM userctx.outbox WHERE name = 'userctx.account.erased' AND payload ->> 'receiptId' = $1`,
      [receiptId],
    )
  ).length;
const accountExists = async ({ id }: ApiClient) =>
  (await environment.query('SELECT FROM userctx.account WHERE user_id = $1', [id])).length === 1;

describe('a requested deletion', () => {
  test('erases the account only when the grace period is over', async () => {
    const person = await environment.createPerson();
    const { eraseAt, receiptId } = await request(person);
    expect(eraseAt - Date.now()).toBeGreaterThan(GRACE_MS - 60_000);
    expect(await request(person)).toMatchObject({ receiptId, eraseAt });
    await runJob(GRACE_MS - 60_000);
    expect([await accountExists(person), await stateOf(person, receiptId)]).toEqual([true, 'REQUESTED']);
    await runJob();
    expect([await accountExists(person), await stateOf(person, receiptId)]).toEqual([false, 'ERASING']);
  });

  test('has no effect after it was cancelled, and publishes both changes', async () => {
    const { owner, familyId } = await createFamily(environment);
    await request(owner);
    await owner.post('account/delete/cancel', {});
    await owner.post('account/delete/cancel', {});
    await runJob();
    expect(await accountExists(owner)).toBe(true);
    const events = await environment.events(`user:${owner.id}`, 'userctx.account-deletion.changed');
    expect(events.map(({ payload }) => payload)).toMatchObject([
      { state: 'REQUESTED', familyIds: [familyId] },
      { state: 'CANCELLED', familyIds: [familyId] },
    ]);
  });

  test('needs a step-up', async () => {
    const person = await environment.createPerson();
    expect(outcome(await person.post('account/delete', {}))).toBe('STEP_UP_REQUIRED');
    expect((await person.get('account/delete/get')).body).toEqual({ deletion: null });
  });
});

describe('the family of an erased owner', () => {
  test('passes to the guardian who joined first and owns no family', async () => {
    const family = await createFamily(environment);
    const [first, second] = [await addMember(environment, family), await addMember(environment, family)];
    await first.createChild();
    const { ownedFamily } = await request(family.owner);
    const { familyId } = family;
    expect(ownedFamily).toEqual({ familyId, outcome: 'TRANSFERRED', newOwnerUserId: second.id });
    await runJob();
    expect(await rolesOf(environment, familyId)).toEqual({ [first.id]: 2, [second.id]: 1 });
  });

  test('never passes to a suspended guardian, and to one who leaves only if nobody else can take over', async () => {
    const family = await createFamily(environment);
    const { owner, familyId } = family;
    const [suspended, leaving, active] = [
      await addMember(environment, family),
      await addMember(environment, family),
      await addMember(environment, family),
    ];
    await environment.query('UPDATE userctx.account SET suspended_at = 1 WHERE user_id = $1', [suspended.id]);
    await request(leaving);
    const planned = async () => (await owner.get('account/delete/get')).body['deletion'];
    await request(owner);
    expect(await planned()).toMatchObject({ ownedFamily: { newOwnerUserId: active.id } });
    await environment.query('UPDATE userctx.account SET suspended_at = 1 WHERE user_id = $1', [active.id]);
    expect(await planned()).toMatchObject({ ownedFamily: { newOwnerUserId: leaving.id } });
    await environment.query('UPDATE userctx.account_deletion SET erase_at = 1 WHERE user_id = $1', [leaving.id]);
    expect(await planned()).toMatchObject({ ownedFamily: { outcome: 'ERASED', newOwnerUserId: null } });
    const transfer = { familyId, userId: suspended.id, stepUp: { password: PASSWORD } };
    expect(outcome(await owner.post('family/transfer', transfer))).toBe('ROLE_CHANGE_FORBIDDEN');
    await leaving.post('account/delete/cancel', {});
    await owner.post('account/delete/cancel', {});
  });

  test('is erased with its children when no guardian can become the owner, also after it was dissolved', async () => {
    for (const isDissolved of [false, true]) {
      const family = await createFamily(environment);
      const { owner, familyId, cid } = family;
      const guardian = await addMember(environment, family);
      await guardian.createChild();
      if (isDissolved) await owner.post('family/dissolve', { familyId, stepUp: { password: PASSWORD } });
      const { receiptId } = await request(owner);
      await runJob();
      const [erased] = await environment.events<object>(familyId, 'userctx.account.erased');
      expect(erased?.payload).toMatchObject({ receiptId, userId: owner.id, familyIds: [familyId], cids: [cid] });
      await finishOwnErasure();
      for (const [table, column, id] of [
        ['family', 'family_id', familyId],
        ['child', 'cid', cid],
        ['contact', 'cid', cid],
        ['account', 'user_id', owner.id],
      ])
        expect(await environment.query(`SELECT FROM userctx.${table} WHERE ${column} = $1`, [id])).toEqual([]);
      expect(await accountExists(guardian)).toBe(true);
    }
  });

  test('leaves nothing that its watch reported', async () => {
    const { owner, familyId, cid, watch } = await createFamily(environment);
    await environment.query(
      `INSERT INTO userctx.watch_binding (binding_id, did, cid, family_id, imei, bound_at)
       SELECT gen_random_uuid(), did, $2, $3, imei, 1 FROM userctx.watch WHERE did = $1`,
      [watch.did, cid, familyId],
    );
    const events = { name: 'gateway.watch.status-reported' as const, key: `watch:${watch.did}` };
    await environment.query(
      `INSERT INTO userctx.watch_status (did, battery, step_total, reported_at, last_seen) VALUES ($1, 40, 1200, 1, 1)`,
      [watch.did],
    );
    await request(owner);
    await runJob();
    await finishOwnErasure();
    // A report that the watch sent while it was bound arrives after the erasure.
    const report = { did: watch.did, battery: 55, charging: false, worn: true, signal: 1, signalMax: 4 };
    const reported = { ...report, firmwareVersion: null, stepTotal: 900, time: 2 };
    await environment.publish([{ ...events, id: randomUUID(), time: Date.now(), payload: reported }]);
    const sql = 'SELECT battery, step_total, last_seen::int FROM userctx.watch_status WHERE did = $1';
    expect(await environment.query(sql, [watch.did])).toEqual([{ battery: null, step_total: null, last_seen: 2 }]);
  });
});

describe('an erasure', () => {
  test('that fails at any write changes nothing and succeeds when it is repeated', async () => {
    const outbox = environment.app.get(UserctxOutbox);
    const { owner, familyId } = await createFamily(environment);
    const { receiptId } = await request(owner);
    const append = outbox.appendMany.bind(outbox);
    let failures = 0;
    for (let succeeding = 0; (await stateOf(owner, receiptId)) === 'REQUESTED'; succeeding += 1) {
      let left = succeeding;
      jest.spyOn(outbox, 'appendMany').mockImplementation((events) => {
        if (left === 0) throw new Error('Planted failure');
        left -= 1;
        return append(events);
      });
      failures += 1;
      await runJob(GRACE_MS + failures * HOUR_MS);
      if ((await stateOf(owner, receiptId)) === 'REQUESTED') {
        expect(await accountExists(owner)).toBe(true);
        expect(await environment.events(familyId, 'userctx.family.dissolved')).toEqual([]);
      }
    }
    expect(failures).toBeGreaterThan(5);
    expect(await accountExists(owner)).toBe(false);
    expect(await countErasedEvents(receiptId)).toBe(1);
  });

  test('that fails after it was completed by another process is not repeated', async () => {
    const person = await environment.createPerson();
    const { receiptId } = await request(person);
    await runJob();
    await finishOwnErasure();
    jest.spyOn(environment.app.get(PersonErasureService, { strict: false }), 'repeat').mockImplementation(() => {
      throw new Error('Planted failure');
    });
    const repository = environment.app.get(AccountDeletionRepository, { strict: false });
    const postpone = repository.postpone.bind(repository);
    jest.spyOn(repository, 'postpone').mockImplementation(async (...failed) => {
      if (failed[0] === receiptId) {
        await confirm('gateway', receiptId);
        await confirm('mcdisk', receiptId);
        await waitFor(async () => expect(await stateOf(person, receiptId)).toBe('COMPLETED'));
      }
      await postpone(...failed);
    });
    await runJob(GRACE_MS + HOUR_MS + 60_000);
    expect(
      await environment.query('SELECT state, due_at FROM userctx.account_deletion WHERE receipt_id = $1', [receiptId]),
    ).toEqual([{ state: 'COMPLETED', due_at: null }]);
  });

  test('publishes the end of its families again, for apps that have lost it', async () => {
    const { owner, familyId, cid } = await createFamily(environment);
    const { receiptId } = await request(owner);
    await runJob();
    const before = (await environment.events(familyId)).length;
    await runJob(GRACE_MS + HOUR_MS + 60_000);
    const repeated = (await environment.events<object>(familyId)).slice(before);
    expect(repeated.map(({ name, payload }) => ({ name, payload }))).toMatchObject([
      { name: 'userctx.account.erased', payload: { receiptId, familyIds: [familyId] } },
      {
        name: 'userctx.family.changed',
        payload: { familyId, dissolved: true, members: [], children: [], version: Number.MAX_SAFE_INTEGER },
      },
      { name: 'userctx.child.erased', payload: { familyId, cid } },
    ]);
    await finishOwnErasure();
  });

  test('erases what a late event creates after the confirmation, and ends when no event can be late', async () => {
    const family = await createFamily(environment);
    const guardian = await addMember(environment, family);
    const { receiptId } = await request(guardian);
    await runJob();
    await finishOwnErasure();
    const row = () =>
      environment.query('SELECT confirmed_at FROM userctx.account_erasure WHERE receipt_id = $1', [receiptId]);
    expect(await row()).toHaveLength(1);
    await environment.query(
      `INSERT INTO userctx.location_ask (ask_id, family_id, cid, did, BY, state, asked_at, deadline)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, 'ANSWERED', 1, 1)`,
      [family.familyId, family.cid, family.watch.did, `user:${guardian.id}`],
    );
    passTime += 7 * HOUR_MS;
    await runPass(passTime);
    const asks = 'SELECT FROM userctx.location_ask WHERE BY = $1';
    expect(await environment.query(asks, [`user:${guardian.id}`])).toEqual([]);
    await runPass(Date.now() + 7 * 24 * HOUR_MS);
    expect(await row()).toHaveLength(1);
    await runPass(Date.now() + 9 * 24 * HOUR_MS);
    expect(await row()).toEqual([]);
  });

  test('waits longer after each failure', async () => {
    const person = await environment.createPerson();
    const { receiptId } = await request(person);
    await runJob();
    jest
      .spyOn(environment.app.get(PersonalDataRepository, { strict: false }), 'eraseReferences')
      .mockImplementation(() => {
        throw new Error('Planted failure');
      });
    const pauses: number[] = [];
    for (let failures = 0; failures < 12; failures += 1) {
      passTime += HOUR_MS;
      await runPass(passTime);
      const [row] = await environment.query<{ due_at: string }>(
        'SELECT due_at FROM userctx.account_erasure WHERE receipt_id = $1',
        [receiptId],
      );
      pauses.push(Number(row?.due_at) - passTime);
    }
    expect(pauses[3]).toBeGreaterThan(pauses[0]! * 2);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(300_000);
    expect(pauses.at(-1)).toBeLessThanOrEqual(600_000);
    jest.restoreAllMocks();
    await finishOwnErasure();
  });

  test('of a person with many rows ends in passes of bounded size', async () => {
    const family = await createFamily(environment);
    const guardian = await addMember(environment, family);
    await environment.query(
      `INSERT INTO userctx.location_ask (ask_id, family_id, cid, did, BY, state, asked_at, deadline)
       SELECT gen_random_uuid(), $1, $2, $3, $4, 'ANSWERED', 1, 1 FROM generate_series(1, 2500)`,
      [family.familyId, family.cid, family.watch.did, `user:${guardian.id}`],
    );
    await request(guardian);
    await runJob();
    const asks = 'SELECT FROM userctx.location_ask WHERE BY = $1';
    expect(await environment.query(asks, [`user:${guardian.id}`])).toHaveLength(1_500);
    await finishOwnErasure();
    expect(await environment.query(asks, [`user:${guardian.id}`])).toEqual([]);
  });

  test.each([
    ['creates a child', async (person: ApiClient) => () => person.post('child/create', CHILD)],
    [
      'accepts an invitation',
      async (person: ApiClient) => {
        const { owner, familyId } = await createFamily(environment);
        const { body } = await owner.post('family/invitation/create', { familyId, role: 2 });
        return () => person.post('family/invitation/accept', { code: body['code'] });
      },
    ],
    [
      'restores a child of a dissolved family',
      async (person: ApiClient) => {
        const cid = await person.createChild();
        await person.post('family/dissolve', { familyId: await person.familyId(), stepUp: { password: PASSWORD } });
        return () => person.post('child/restore', { cid });
      },
    ],
    ['cancels the deletion', async (person: ApiClient) => () => person.post('account/delete/cancel', {})],
  ])('leaves nothing of a person who %s at the same time', async (_title, prepare) => {
    const person = await environment.createPerson();
    const act = await prepare(person);
    const { receiptId } = await request(person);
    const succession = environment.app.get(FamilySuccessionService, { strict: false });
    const leaveAll = succession.leaveAll.bind(succession);
    let action: ReturnType<typeof act> | undefined;
    // The action is not part of the transaction that calls `leaveAll`.
    const outside = AsyncLocalStorage.snapshot();
    jest.spyOn(succession, 'leaveAll').mockImplementation(async (userId) => {
      const ended = await leaveAll(userId);
      action ??= outside(act);
      // The action either succeeds before the erasure ends, or waits for it.
      await Promise.race([action, environment.waitForBlockedStatement()]);
      return ended;
    });
    await runJob();
    expect(outcome((await action)!)).toBe('TOKEN_REVOKED');
    expect(await stateOf(person, receiptId)).toBe('ERASING');
    for (const table of ['family_member where user_id', 'family where owner_user_id'])
      expect(await environment.query(`SELECT FROM userctx.${table} = $1`, [person.id])).toEqual([]);
    await finishOwnErasure();
  });

  test('is published every hour until all apps have confirmed it, in any order and repeatedly', async () => {
    const person = await environment.createPerson();
    const { receiptId } = await request(person);
    await runJob();
    await runJob();
    expect(await countErasedEvents(receiptId)).toBe(1);
    await runJob(GRACE_MS + HOUR_MS + 60_000);
    expect(await countErasedEvents(receiptId)).toBe(2);
    await confirm('mcdisk', receiptId);
    await confirm('mcdisk', receiptId, {});
    await finishOwnErasure();
    expect(await stateOf(person, receiptId)).toBe('ERASING');
    await confirm('gateway', receiptId);
    await waitFor(async () => expect(await stateOf(person, receiptId)).toBe('COMPLETED'));
    const { body } = await person.get('account/delete/receipt/get', { receiptId });
    // A repeated erasure finds nothing more, which does not replace what the first one has erased.
    expect(body['confirmations']).toContainEqual({ app: 'mcdisk', time: expect.any(Number), counts: { thing: 3 } });
    await confirm('gateway', receiptId);
    await runJob(GRACE_MS + 9 * HOUR_MS);
    expect((await person.get('account/delete/receipt/get', { receiptId })).body).toEqual(body);
    expect(JSON.stringify(body)).not.toContain(person.id);
    expect(
      await environment.query(`SELECT FROM userctx.account_deletion t WHERE t::text LIKE '%' || $1 || '%'`, [
        person.id,
      ]),
    ).toEqual([]);
  });
});
