import { afterAll, beforeAll, describe } from '@jest/globals';
import { databaseOutageTests } from '../support/database-outage-tests.js';
import { TestService } from '../support/test-service.js';

/** Uses a separate service, because its database becomes unreachable. See also `distributed-faults.spec.ts`. */
describe('a database outage', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start('standalone');
  });
  afterAll(() => service.stop());

  databaseOutageTests(() => service);
});
