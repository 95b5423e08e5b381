import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectError } from '../support/envelopes.js';
import { PATH_PREFIX } from '../support/http-client.js';
import { VALID_CHILD, Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

const CREATE_CHILD_PATH = `${PATH_PREFIX.plain}userctx/user/child/create`;
const DAY_MS = 24 * 60 * 60 * 1000;

describe('Idempotency-Key of create requests', () => {
  let service: TestService;
  let owner: Parent;

  beforeAll(async () => {
    service = await TestService.shared('standalone');
  });
  afterAll(async () => {
    await service.stop();
  });

  const create = (key: string, child: object = VALID_CHILD, by = owner) =>
    by.post<{ cid: string }>('child/create', child, { 'idempotency-key': key });
  const childrenOf = async (parent: Parent) => (await parent.get<{ childList: object[] }>('child/get')).body.childList;

  beforeEach(async () => {
    owner = await Parent.signUp(service);
  });

  test('the same key and body return the same response and create one child', async () => {
    const key = randomUUID();
    const [first, second] = [await create(key), await create(key)];
    expect(second.body).toEqual(first.body);
    expect(await childrenOf(owner)).toHaveLength(1);
  });

  test('of ten concurrent requests with one key, one creates the child and all return the same response', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(await childrenOf(owner)).toHaveLength(1);
  });

  test('another body with the same key is a conflict and changes nothing', async () => {
    const key = randomUUID();
    await create(key);
    expectError(CREATE_CHILD_PATH, await create(key, { ...VALID_CHILD, name: 'Noa' }), 'IDEMPOTENCY_KEY_REUSED');
    expect(await childrenOf(owner)).toHaveLength(1);
  });

  test('a rejected request does not store its key', async () => {
    const key = randomUUID();
    expectError(CREATE_CHILD_PATH, await create(key, { ...VALID_CHILD, weight: 99 }), 'VALIDATION_FAILED');
    expect((await create(key)).status).toBe(200);
  });

  test('a key applies only to the person who sent it', async () => {
    const [key, other] = [randomUUID(), await Parent.signUp(service)];
    const mine = await create(key);
    const theirs = await create(key, VALID_CHILD, other);
    expect(theirs.status).toBe(200);
    expect(theirs.body.cid).not.toBe(mine.body.cid);
  });

  test('a key applies only to the operation to which it was sent', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const { cid } = (await owner.post<{ cid: string }>('child/create', VALID_CHILD, headers)).body;
    const circle = { latitude: '31.2304', longitude: '121.4737', radius: 200 };
    const answer = await owner.post('fence/create', { cid, name: 'School', circle }, headers);
    expect(answer).toMatchObject({ status: 200, body: { name: 'School' } });
  });

  test('a key can be used again after a day', async () => {
    const key = randomUUID();
    const first = await create(key);
    await service.query('UPDATE userctx.idempotency_key SET created_at = created_at - $1 WHERE key = $2', [
      DAY_MS + 1,
      key,
    ]);
    const second = await create(key);
    expect(second.body.cid).not.toBe(first.body.cid);
  });

  test.each(['', ' ', 'x'.repeat(129), 'schlüssel'])('rejects %j as an Idempotency-Key', async (key) => {
    const headers = { 'idempotency-key': Buffer.from(key, 'utf8').toString('latin1') };
    const answer = await owner.post('child/create', VALID_CHILD, headers);
    expectError(CREATE_CHILD_PATH, answer, 'VALIDATION_FAILED');
  });
});
