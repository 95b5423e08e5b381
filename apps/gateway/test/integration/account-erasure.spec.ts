import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { GatewayAccountErasure } from '../../src/operations/account-erasure/gateway-account-erasure.service.js';
import { createFamily } from '../support/clients.js';
import { environment, node, serviceOf, useSharedGateway } from '../support/suite-gateway.js';

const HOUR_MS = 3_600_000;
const NO_ABORT = new AbortController().signal;

useSharedGateway();
/** Time of the last pass, which moves forward with each pass. */
let passTime = Date.now();

const query = (sql: string, ...parameters: unknown[]) => node.unitOfWork.executor.query(sql, parameters);
const progressOf = (receiptId: string) =>
  query('SELECT FROM gateway.account_erasure WHERE receipt_id = $1 AND confirmed_at IS NULL', receiptId);
const dissolved = (familyId: string) => ({
  familyId,
  version: Number.MAX_SAFE_INTEGER,
  ownerUserId: 'erased',
  dissolved: true,
  members: [],
  children: [],
});
const runPass = async () => {
  passTime += HOUR_MS;
  await serviceOf(GatewayAccountErasure).continue(passTime, NO_ABORT);
};

// The events of a person and of the person's families have different keys, so that they may arrive in any order.
test('an erasure is not confirmed while the last snapshot without the person may follow', async () => {
  const { family, guardian } = await createFamily();
  const receiptId = randomUUID();
  const subjects = { userId: guardian.id, familyIds: [], cids: [], dids: [] };
  const payload = { ...subjects, receiptId, time: Date.now() };
  await environment.publish({ name: 'userctx.account.erased', key: `user:${guardian.id}`, payload });
  for (let passes = 0; passes < 3; passes += 1) await runPass();
  expect(await progressOf(receiptId)).toHaveLength(1);
  await environment.publishFamily({ ...family, version: family.version + 1 });
  const members = family.members.filter(({ userId }) => userId !== guardian.id);
  await environment.publishFamily({ ...family, version: family.version + 2, members });
  await waitFor(async () => {
    await runPass();
    expect(await progressOf(receiptId)).toEqual([]);
  });
  expect(await query('SELECT FROM gateway.conversation_member WHERE member = $1', `user:${guardian.id}`)).toEqual([]);
});

test('an erasure deletes a call when the room of the call has ended for good', async () => {
  const { family, cid, did, owner } = await createFamily();
  const { familyId } = family;
  const receiptId = randomUUID();
  await query(
    `INSERT INTO gateway.video_call (call_id, family_id, cid, did, user_id, direction, caller_session, provider, state,
      created_at, ended_at, media_end_due_at, checked_at, revision, signals)
    VALUES ($1, $2, $3, $4, $5, 'TO_WATCH', 's', 'livekit', 'ENDED', 1, 2, $6, 1, 1, 0)`,
    ...[randomUUID(), familyId, cid, did, owner.id, Date.now() + HOUR_MS],
  );
  const subjects = { userId: owner.id, familyIds: [familyId], cids: [cid], dids: [did] };
  const payload = { ...subjects, receiptId, time: Date.now() };
  const calls = () => query('SELECT FROM gateway.video_call WHERE user_id = $1', owner.id);
  await environment.publish({ name: 'userctx.account.erased', key: familyId, payload });
  await environment.publishFamily(dissolved(familyId));
  for (let passes = 0; passes < 3; passes += 1) await runPass();
  expect(await calls()).toHaveLength(1);
  await query('UPDATE gateway.video_call SET media_end_due_at = NULL WHERE user_id = $1', owner.id);
  await waitFor(async () => {
    await runPass();
    expect(await progressOf(receiptId)).toEqual([]);
  });
  expect(await calls()).toEqual([]);
});

test('an erasure of a family whose last snapshot was lost ends when userctx publishes its end again', async () => {
  const { family, owner, cid, did } = await createFamily();
  const { familyId } = family;
  const receiptId = randomUUID();
  const subjects = { userId: owner.id, familyIds: [familyId], cids: [cid], dids: [did] };
  const payload = { ...subjects, receiptId, time: Date.now() };
  await environment.publish({ name: 'userctx.account.erased', key: familyId, payload });
  for (let passes = 0; passes < 3; passes += 1) await runPass();
  expect(await progressOf(receiptId)).toHaveLength(1);
  await environment.publishFamily(dissolved(familyId));
  await waitFor(async () => {
    await runPass();
    expect(await progressOf(receiptId)).toEqual([]);
  });
  // A snapshot that arrives even later is ignored.
  await environment.publishFamily({ ...family, version: family.version + 1 });
  expect(await query('SELECT FROM gateway.conversation_member WHERE member = $1', `user:${owner.id}`)).toEqual([]);
});
