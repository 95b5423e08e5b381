import { afterAll, beforeAll, describe } from '@jest/globals';
import { declareDatabaseOutageTests } from '../support/database-outage-tests.js';
import { TestService } from '../support/test-service.js';
import { declareUnprocessedEventTests } from '../support/unprocessed-event-tests.js';

/**
 * Uses a separate service, because its database becomes unreachable or rejects changes. See also
 * `distributed-faults.slow.spec.ts`.
 */
describe('faults of the database', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start('standalone', { COMPARISON_INTERVAL: 1 });
  });
  afterAll(() => service.stop());

  describe('a database outage', () => declareDatabaseOutageTests(() => service));

  describe('A35 events that cannot be stored', () => declareUnprocessedEventTests(() => service));
});
