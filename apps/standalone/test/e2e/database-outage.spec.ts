import { afterAll, beforeAll, describe } from '@jest/globals';
import { databaseOutageTests } from '../support/database-outage-tests.js';
import { TestService } from '../support/test-service.js';

/** A service of its own, since its database goes away; the distributed way: distributed-faults.spec.ts. */
describe('a database that goes away', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start('standalone');
  });
  afterAll(() => service.stop());

  databaseOutageTests(() => service);
});
