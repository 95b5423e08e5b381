import { afterAll, beforeAll, describe } from '@jest/globals';
import { isLongRun } from '@family-watch/testing/properties/property-runs';
import { declarePresenceTests } from '../support/presence-tests.js';
import { TestService } from '../support/test-service.js';
import { describeDistributed } from '../support/deployments.js';
import type { Deployment } from '../support/deployments.js';

/** Declares the presence tests for a separate service with a short heartbeat interval. */
function declareTestsOfDeployment(deployment: Deployment): void {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(deployment, { HEARTBEAT_INTERVAL: 1 });
  });
  afterAll(() => service.stop());

  declarePresenceTests(() => service);
}

describe('presence of a watch', () => declareTestsOfDeployment('standalone'));
// Unless the long run is enabled, only apps/gateway/test/e2e/presence.spec.ts tests presence on several nodes.
if (isLongRun()) describeDistributed('presence of a watch', declareTestsOfDeployment);
