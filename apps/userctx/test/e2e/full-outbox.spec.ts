import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FamilyTestEnvironment } from '../support/family-test-environment.js';
import { CHILD } from '../support/api-client.js';

let environment: FamilyTestEnvironment;

beforeAll(async () => {
  // The outbox relay is disabled, because it would detect that the outbox is not full and reset `outbox_full`.
  environment = await FamilyTestEnvironment.open({ isRelayDisabled: true });
});
afterAll(() => environment.close());

test('userctx rejects changes with 503 OVERLOADED while the outbox is full', async () => {
  const owner = await environment.createPerson();
  await environment.query('UPDATE userctx.relay SET outbox_full = true');
  const rejected = await owner.post('child/create', CHILD);
  expect({ status: rejected.status, reason: rejected.body['reason'] }).toEqual({ status: 503, reason: 'OVERLOADED' });
  await environment.query('UPDATE userctx.relay SET outbox_full = false');
  expect((await owner.post('child/create', CHILD)).status).toBe(200);
});
