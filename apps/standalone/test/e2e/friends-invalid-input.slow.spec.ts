import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import type { ServiceResponse } from '../support/http-client.js';
import { tableDigests, waitUntilEventsProcessed } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { Watch, WATCH_PATH } from '../support/watch.js';

const USER_PATH = '/apis/v2/userctx/user/';
const UNKNOWN_ID = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';

/** Operations on a friend request or friendship, each with the error for an unknown id. */
const REQUEST_OPERATIONS: [string, ErrorReason][] = [
  ['confirm', 'APPLICATION_NOT_FOUND'],
  ['reject', 'APPLICATION_NOT_FOUND'],
  ['delete', 'FRIEND_NOT_FOUND'],
  ['block', 'FRIEND_NOT_FOUND'],
  ['unblock', 'FRIEND_NOT_FOUND'],
];

/** `command-invalid-input.slow.spec.ts` tests invalid fields and hostile texts for the same operations. */
describe('invalid input to operations on friends', () => {
  let service: TestService;
  let mia: FamilyFixture;
  let leo: FamilyFixture;
  let zoe: FamilyFixture;
  /** Watch of Mia's sibling, who has no friends. */
  let sibling: Watch;
  let unbound: Watch;
  /** Id of the friendship of Mia and Leo. */
  let friendshipId: string;
  /** Id of the open friend request of Zoe to Leo. */
  let requestId: string;
  /** Watch of Zoe's sibling, whom Leo's family blocked. */
  let blocked: Watch;
  /** Leo's friend code, valid until the end of the suite. */
  let friendCode: string;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    [mia, leo, zoe] = await Promise.all([createFamily(), createFamily(), createFamily()]);
    sibling = await Watch.enrolAndBind(mia.owner, await mia.owner.createChild({ name: 'Tom' }));
    blocked = await Watch.enrolAndBind(zoe.owner, await zoe.owner.createChild({ name: 'Ida' }));
    unbound = await Watch.enrol(service.url);
    ({ friendCode } = await expectOk(leo.watch.post<{ friendCode: string }>(`${WATCH_PATH}friend-code/create`, {})));
    friendshipId = await applyForFriend(mia.owner, mia.watch.did);
    await expectOk(leo.owner.post('device/friends/confirm', { did: leo.watch.did, applicationId: friendshipId }));
    requestId = await applyForFriend(zoe.watch, zoe.watch.did);
    const refused = await applyForFriend(zoe.owner, blocked.did);
    await expectOk(leo.owner.post('device/friends/block', { did: leo.watch.did, applicationId: refused }));
    await waitUntilEventsProcessed(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  const createFamily = () => FamilyFixture.create(service);

  async function applyForFriend(by: FamilyFixture['owner' | 'watch'], did: number): Promise<string> {
    const answer = by.post<{ applicationId: string }>(`${USER_PATH}device/friends/apply`, { did, friendCode });
    return (await expectOk(answer)).applicationId;
  }

  function expectSameErrors(answers: readonly ServiceResponse[], status: number, reason: ErrorReason): void {
    for (const answer of answers) expect([answer.status, answer.body['reason']]).toEqual([status, reason]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }

  describe.each(REQUEST_OPERATIONS)('device/friends/%s', (what, unknown) => {
    const say = (did: number, applicationId: string, by: FamilyFixture['owner' | 'guardian'] = mia.owner) =>
      by.post(`device/friends/${what}`, { did, applicationId });

    test('returns the same error for ids of other children as for unknown ids', async () => {
      const { did } = mia.watch;
      const answers = [requestId, UNKNOWN_ID, UNKNOWN_ID.toUpperCase(), 'x', `' or '1'='1`].map((id) => say(did, id));
      expectSameErrors(await Promise.all([...answers, say(sibling.did, friendshipId)]), 404, unknown);
    });

    test('returns the same error for a watch of another family, an unbound watch and an unknown watch', async () => {
      const dids = [leo.watch.did, zoe.watch.did, unbound.did, 1];
      expectSameErrors(await Promise.all(dids.map((did) => say(did, friendshipId))), 404, 'WATCH_NOT_FOUND');
    });

    test('rejects requests from a watch', async () => {
      const body = { did: leo.watch.did, applicationId: friendshipId };
      expectSameErrors([await leo.watch.post(`${USER_PATH}device/friends/${what}`, body)], 403, 'FORBIDDEN');
    });
  });

  test.each<[string, string, () => [FamilyFixture, string], number, ErrorReason]>([
    [
      'confirm',
      'a friend request that the requesting family has not confirmed',
      () => [leo, requestId],
      409,
      'CONFLICT',
    ],
    ['reject', 'a friend request that was accepted', () => [leo, friendshipId], 409, 'CONFLICT'],
    ['delete', 'a friend request that was not accepted', () => [leo, requestId], 404, 'FRIEND_NOT_FOUND'],
  ])('device/friends/%s rejects %s', async (what, _, of, status, reason) => {
    const [{ owner, guardian, watch }, applicationId] = of();
    const says = [owner, guardian].map((by) => by.post(`device/friends/${what}`, { did: watch.did, applicationId }));
    expectSameErrors(await Promise.all(says), status, reason);
  });

  test("returns the same error for an unknown code, the child's own code and a code of a family that blocked the child", async () => {
    const guesses = ['0123456789', '01234-56789', '\u202e7KQ2M9XW4R', '%00', friendCode.slice(1)];
    const byZoe = guesses.map((guess) => ({ did: blocked.did, friendCode: guess }));
    const answers = [...byZoe, { did: blocked.did, friendCode }].map((body) =>
      zoe.owner.post('device/friends/apply', body),
    );
    const own = leo.owner.post('device/friends/apply', { did: leo.watch.did, friendCode });
    const itself = blocked.post(`${USER_PATH}device/friends/apply`, { did: blocked.did, friendCode });
    expectSameErrors(await Promise.all([...answers, own, itself]), 400, 'CODE_INVALID');
  });

  test('rejects a valid code for a watch that the caller may not act for', async () => {
    const answers = [zoe.watch.did, unbound.did, 1].map((did) =>
      mia.owner.post('device/friends/apply', { did, friendCode }),
    );
    const watches = [mia.watch.did, 1].map((did) =>
      sibling.post(`${USER_PATH}device/friends/apply`, { did, friendCode }),
    );
    expectSameErrors(await Promise.all([...answers, ...watches]), 404, 'WATCH_NOT_FOUND');
  });

  test('rejects values of the wrong type or range as device id (did) or friend code', async () => {
    const { did } = mia.watch;
    for (const body of [
      ...['one', String(did), [did], { did }, true, -did, 1.5].map((word) => ({ did: word, friendCode })),
      ...[1_234_567_890, [friendCode], Array(3_000).fill(friendCode), 'x'.repeat(33), ''].map((code) => ({
        did,
        friendCode: code,
      })),
    ]) {
      const answer = await mia.owner.post('device/friends/apply', body);
      expect([answer.status, answer.body['reason']]).toEqual([400, 'VALIDATION_FAILED']);
    }
    for (const query of [
      '',
      '?did=one',
      '?did=',
      `?did=${did}.5`,
      `?did=${did}&did=${did}`,
      '?did=0',
      '?did=9007199254740993',
    ]) {
      const answer = await mia.owner.send('GET', `device/friends/list${query}`);
      expect([query, answer.status, answer.body['reason']]).toEqual([query, 400, 'VALIDATION_FAILED']);
    }
  });

  test('rejects listing another family’s friends, and issuing a friend code to a user or an unbound watch', async () => {
    const dids = [leo.watch.did, unbound.did, 1];
    const lists = dids.map((did) => mia.owner.get('device/friends/list', { did }));
    const byWatch = dids.map((did) => mia.watch.get(`${USER_PATH}device/friends/list`, { did }));
    expectSameErrors(await Promise.all([...lists, ...byWatch]), 404, 'WATCH_NOT_FOUND');
    expectSameErrors([await mia.owner.post(`${WATCH_PATH}friend-code/create`, {})], 403, 'FORBIDDEN');
    expectSameErrors([await unbound.post(`${WATCH_PATH}friend-code/create`, {})], 403, 'WATCH_UNBOUND');
  });

  test('the rejected requests change no row and cause no internal error', async () => {
    expect(await tableDigests(service)).toEqual(before);
    expect(service.errors).toEqual([]);
  });
});
