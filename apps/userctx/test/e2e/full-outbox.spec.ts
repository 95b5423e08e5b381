import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FamilyTestEnvironment } from '../support/family-test-environment.js';
import { CHILD } from '../support/person.js';

let world: FamilyTestEnvironment;

beforeAll(async () => {
  // The relay would see that the outbox is not full.
  world = await FamilyTestEnvironment.open({ relay: true });
});
afterAll(() => world.close());

test('while the bus has been away for so long that the outbox is full, a change is refused as one to try again', async () => {
  const owner = await world.person();
  await world.query('update userctx.relay set outbox_full = true');
  const refused = await owner.post('child/create', CHILD);
  expect({ status: refused.status, reason: refused.body['reason'] }).toEqual({ status: 503, reason: 'OVERLOADED' });
  await world.query('update userctx.relay set outbox_full = false');
  expect((await owner.post('child/create', CHILD)).status).toBe(200);
});
