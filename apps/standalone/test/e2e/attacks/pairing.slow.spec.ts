import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FamilyFixture } from '../../support/family-fixture.js';
import { expectOk } from '../../support/http-client.js';
import { Parent } from '../../support/parent.js';
import { TestService } from '../../support/test-service.js';
import { Watch, WATCH_PATH } from '../../support/watch.js';

/** Not more, because the other suites use the same service. */
const PARALLEL_GUESSES = 24;
const MAX_TRIES = 5;

describe('pairing by a stranger', () => {
  let service: TestService;
  let stranger: Parent;
  let strangersChild: string;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
    stranger = await Parent.signUp(service);
    strangersChild = await stranger.createChild();
  });
  afterAll(() => service.stop());

  test('A10 a printed code is not enough: the digits that the watch shows are guessed at most five times', async () => {
    const watch = await Watch.enrol(service.url);
    const { bindCode, confirmCode } = await watch.createBindCode();
    const guesses = Array.from({ length: PARALLEL_GUESSES }, (_, index) => String(index).padStart(6, '0')).filter(
      (guess) => guess !== confirmCode,
    );
    const answers = await Promise.all(
      guesses.map((guess) => stranger.post('device/bind', { bindCode, confirmCode: guess, cid: strangersChild })),
    );
    expect(new Set(answers.map(({ body }) => body['reason']))).toEqual(new Set(['BIND_CODE_INVALID']));
    const [row] = await service.query<{ tries: number }>('SELECT tries FROM userctx.bind_code WHERE did = $1', [
      watch.did,
    ]);
    expect(row?.tries).toBe(MAX_TRIES);
    const late = await stranger.post('device/bind', { bindCode, confirmCode, cid: strangersChild });
    expect(late.body['reason']).toBe('BIND_CODE_INVALID');
  });

  test('A10 a code is random, valid for five minutes, and replaced by the next one', async () => {
    const watch = await Watch.enrol(service.url);
    const first = await expectOk(
      watch.post<{ bindCode: string; confirmCode: string; expiresIn: number }>(`${WATCH_PATH}bind-code/create`, {}),
    );
    expect([Buffer.from(first.bindCode, 'base64url').length, first.expiresIn]).toEqual([16, 300]);
    expect(first.confirmCode).toMatch(/^\d{6}$/);
    const second = await watch.createBindCode();
    expect(second.bindCode).not.toBe(first.bindCode);
    const { bindCode, confirmCode } = first;
    const replaced = await stranger.post('device/bind', { bindCode, confirmCode, cid: strangersChild });
    const mixed = await stranger.post('device/bind', { ...second, bindCode, cid: strangersChild });
    expect([replaced.body['reason'], mixed.body['reason']]).toEqual(['BIND_CODE_INVALID', 'BIND_CODE_INVALID']);
  });

  test('A7, A10 a used code and a bound watch give no second binding, and a bound watch gives no code', async () => {
    const owner = await Parent.signUp(service);
    const cid = await owner.createChild();
    const watch = await Watch.enrol(service.url);
    const code = await watch.createBindCode();
    const racing = [
      ...Array.from({ length: 4 }, () => owner.post('device/bind', { ...code, cid })),
      ...Array.from({ length: 4 }, () => stranger.post('device/bind', { ...code, cid })),
    ];
    const answers = await Promise.all(racing);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.slice(4).map(({ body }) => body['reason'])).toEqual(Array(4).fill('CHILD_NOT_FOUND'));
    const replayed = await stranger.post('device/bind', { ...code, cid: strangersChild });
    expect(replayed.body['reason']).toBe('BIND_CODE_INVALID');
    const another = await watch.post(`${WATCH_PATH}bind-code/create`, {});
    expect([another.status, another.body['reason']]).toEqual([409, 'WATCH_ALREADY_BOUND']);
    expect((await owner.get('device/get', { did: watch.did })).status).toBe(200);
  });

  test('A7 nobody but the owner binds a watch to the child, invites or approves', async () => {
    const family = await FamilyFixture.create(service);
    const { familyId, guardian, watch } = family;
    await expectOk(family.owner.post('device/unbind', { did: watch.did, stepUp: await family.owner.stepUp() }));
    const code = await watch.createBindCode();
    const attempts = [
      await guardian.post('device/bind', { ...code, cid: family.cid }),
      await stranger.post('device/bind', { ...code, cid: family.cid }),
      await guardian.post('family/invitation/create', { familyId, role: 1 }),
      await guardian.post('family/invitation/create', { familyId, role: 2 }),
      await stranger.post('family/invitation/create', { familyId, role: 2 }),
      await stranger.post('family/invitation/accept', { code: 'A'.repeat(22) }),
      await family.owner.post('family/invitation/create', { familyId, role: 1 }),
    ];
    expect(attempts.map(({ body }) => body['reason'])).toEqual([
      'PERMISSION_MISSING',
      'CHILD_NOT_FOUND',
      'PERMISSION_MISSING',
      'PERMISSION_MISSING',
      'FAMILY_NOT_FOUND',
      'INVITATION_INVALID',
      'ROLE_CHANGE_FORBIDDEN',
    ]);
    await expectOk(family.owner.post('device/bind', { ...code, cid: family.cid }));
    family.disconnectAll();
  });
});
