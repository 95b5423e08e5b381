import { describe } from '@jest/globals';
import { openInProcessAdapter } from '../support/in-process-adapter.js';
import { describeDelivery } from './delivery.contract.js';
import { describeRecovery } from './recovery.contract.js';

// Leases, heartbeats and acknowledgements have to run out in some tests.
describe('in-process event bus', () => {
  describeDelivery(openInProcessAdapter);
  describeRecovery(openInProcessAdapter);
});
