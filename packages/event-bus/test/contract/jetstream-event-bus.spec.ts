import { describe, test } from '@jest/globals';
import { openJetStreamAdapter } from '../support/jetstream-adapter.js';
import { isNatsReachable, natsUrl } from '@family-watch/testing/service/nats';
import { describeDelivery } from './delivery.contract.js';
import { describeMalformedMessages } from './jetstream-malformed-messages.contract.js';
import { describeRecovery } from './recovery.contract.js';

// Some tests wait until leases, heartbeats and acknowledgements expire.
if (await isNatsReachable()) {
  describe('JetStreamEventBus', () => {
    describeDelivery(openJetStreamAdapter);
    describeRecovery(openJetStreamAdapter);
    describeMalformedMessages();
  });
} else {
  describe.skip(`JetStreamEventBus (skipped: NATS is not reachable at ${natsUrl})`, () => {
    test('JetStreamEventBus fulfils the event bus contract', () => undefined);
  });
}
