import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorReason } from '@family-watch/domain/kernel/contracts/error-catalogue';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import type { Answer } from '../support/http-client.js';
import { tableDigests, untilQuiet } from '../support/table-digests.js';
import { TestService } from '../support/test-service.js';
import { Watch, WATCH_SIDE } from '../support/watch.js';

const USER_SIDE = '/apis/v2/userctx/user/';
const NOBODY = '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10';

/** What a guardian can say about an application or friendship, and what it answers where there is none. */
const ABOUT: [string, ErrorReason][] = [
  ['confirm', 'APPLICATION_NOT_FOUND'],
  ['reject', 'APPLICATION_NOT_FOUND'],
  ['delete', 'FRIEND_NOT_FOUND'],
  ['block', 'FRIEND_NOT_FOUND'],
  ['unblock', 'FRIEND_NOT_FOUND'],
];

/** Broken fields and hostile texts of these operations are in `command-invalid-input.spec.ts`. */
describe('bad input to friends', () => {
  let service: TestService;
  let mia: FamilyFixture;
  let leo: FamilyFixture;
  let zoe: FamilyFixture;
  /** Of another child of Mia's parents, who has no friends. */
  let sibling: Watch;
  let unbound: Watch;
  /** Mia and Leo are friends. */
  let friendship: string;
  /** Zoe has applied to Leo, and nobody has agreed. */
  let asked: string;
  /** Leo's family keeps Zoe's sibling out. */
  let keptOut: Watch;
  /** Leo's code, good for as long as the suite lasts. */
  let friendCode: string;
  let before: Record<string, string>;

  beforeAll(async () => {
    service = await TestService.start('standalone');
    [mia, leo, zoe] = await Promise.all([settle(), settle(), settle()]);
    sibling = await Watch.boundTo(mia.owner, await mia.owner.createChild({ name: 'Tom' }));
    keptOut = await Watch.boundTo(zoe.owner, await zoe.owner.createChild({ name: 'Ida' }));
    unbound = await Watch.enrolled(service.url);
    ({ friendCode } = await expectOk(leo.watch.post<{ friendCode: string }>(`${WATCH_SIDE}friend-code/create`, {})));
    friendship = await apply(mia.owner, mia.watch.did);
    await expectOk(leo.owner.post('device/friends/confirm', { did: leo.watch.did, applicationId: friendship }));
    asked = await apply(zoe.watch, zoe.watch.did);
    const refused = await apply(zoe.owner, keptOut.did);
    await expectOk(leo.owner.post('device/friends/block', { did: leo.watch.did, applicationId: refused }));
    await untilQuiet(service);
    before = await tableDigests(service);
  });
  afterAll(() => service.stop());

  const settle = () => FamilyFixture.create(service);

  async function apply(by: FamilyFixture['owner' | 'watch'], did: number): Promise<string> {
    const answer = by.post<{ applicationId: string }>(`${USER_SIDE}device/friends/apply`, { did, friendCode });
    return (await expectOk(answer)).applicationId;
  }

  function expectAlike(answers: readonly Answer[], status: number, reason: ErrorReason): void {
    for (const answer of answers) expect([answer.status, answer.body['reason']]).toEqual([status, reason]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  }

  describe.each(ABOUT)('%s', (what, unknown) => {
    const say = (did: number, applicationId: string, by: FamilyFixture['owner' | 'guardian'] = mia.owner) =>
      by.post(`device/friends/${what}`, { did, applicationId });

    test('of what is between others, of the sibling’s or of nobody’s friend: all alike', async () => {
      const { did } = mia.watch;
      const answers = [asked, NOBODY, NOBODY.toUpperCase(), 'x', `' or '1'='1`].map((id) => say(did, id));
      expectAlike(await Promise.all([...answers, say(sibling.did, friendship)]), 404, unknown);
    });

    test('by the watch of another family, of one that is bound to nobody or of none', async () => {
      const dids = [leo.watch.did, zoe.watch.did, unbound.did, 1];
      expectAlike(await Promise.all(dids.map((did) => say(did, friendship))), 404, 'WATCH_NOT_FOUND');
    });

    test('by a watch: only a guardian decides', async () => {
      const body = { did: leo.watch.did, applicationId: friendship };
      expectAlike([await leo.watch.post(`${USER_SIDE}device/friends/${what}`, body)], 403, 'FORBIDDEN');
    });
  });

  test.each<[string, string, () => [FamilyFixture, string], number, ErrorReason]>([
    ['confirm', 'before the applicant’s own family has', () => [leo, asked], 409, 'CONFLICT'],
    ['reject', 'a friend', () => [leo, friendship], 409, 'CONFLICT'],
    ['delete', 'who is no friend yet', () => [leo, asked], 404, 'FRIEND_NOT_FOUND'],
  ])('%s %s', async (what, _, of, status, reason) => {
    const [{ owner, guardian, watch }, applicationId] = of();
    const says = [owner, guardian].map((by) => by.post(`device/friends/${what}`, { did: watch.did, applicationId }));
    expectAlike(await Promise.all(says), status, reason);
  });

  test('codes that open nothing answer alike: a guess, the own one, one of nobody, and a right one of who is out', async () => {
    const guesses = ['0123456789', '01234-56789', '\u202e7KQ2M9XW4R', '%00', friendCode.slice(1)];
    const byZoe = guesses.map((guess) => ({ did: keptOut.did, friendCode: guess }));
    const answers = [...byZoe, { did: keptOut.did, friendCode }].map((body) =>
      zoe.owner.post('device/friends/apply', body),
    );
    const own = leo.owner.post('device/friends/apply', { did: leo.watch.did, friendCode });
    const itself = keptOut.post(`${USER_SIDE}device/friends/apply`, { did: keptOut.did, friendCode });
    expectAlike(await Promise.all([...answers, own, itself]), 400, 'CODE_INVALID');
  });

  test('a right code is nothing with the watch of somebody else', async () => {
    const answers = [zoe.watch.did, unbound.did, 1].map((did) =>
      mia.owner.post('device/friends/apply', { did, friendCode }),
    );
    const watches = [mia.watch.did, 1].map((did) =>
      sibling.post(`${USER_SIDE}device/friends/apply`, { did, friendCode }),
    );
    expectAlike(await Promise.all([...answers, ...watches]), 404, 'WATCH_NOT_FOUND');
  });

  test('words and lists where a number or a code is wanted', async () => {
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

  test('the list of another family, and a code by whom it is not', async () => {
    const dids = [leo.watch.did, unbound.did, 1];
    const lists = dids.map((did) => mia.owner.get('device/friends/list', { did }));
    const byWatch = dids.map((did) => mia.watch.get(`${USER_SIDE}device/friends/list`, { did }));
    expectAlike(await Promise.all([...lists, ...byWatch]), 404, 'WATCH_NOT_FOUND');
    expectAlike([await mia.owner.post(`${WATCH_SIDE}friend-code/create`, {})], 403, 'FORBIDDEN');
    expectAlike([await unbound.post(`${WATCH_SIDE}friend-code/create`, {})], 403, 'WATCH_UNBOUND');
  });

  test('nothing of it has changed a row, and nothing was an error of ours', async () => {
    expect(await tableDigests(service)).toEqual(before);
    expect(service.errors).toEqual([]);
  });
});
