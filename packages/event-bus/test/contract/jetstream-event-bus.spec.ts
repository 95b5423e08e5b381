import { describe, test } from '@jest/globals';
import { openJetStreamAdapter } from '../support/jetstream-adapter.js';
import { isNatsReachable, natsUrl } from '@family-watch/testing/service/nats';
import { describeDelivery } from './delivery.contract.js';
import { describeRecovery } from './recovery.contract.js';

// Leases, heartbeats and acknowledgements have to run out in some tests.
if (await isNatsReachable()) {
  describe('JetStream event bus', () => {
    describeDelivery(openJetStreamAdapter);
    describeRecovery(openJetStreamAdapter);
  });
} else {
  describe.skip(`JetStream: no NATS reachable at ${natsUrl}, not run`, () => {
    test('event bus contract', () => undefined);
  });
}
