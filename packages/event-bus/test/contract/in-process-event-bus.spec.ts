import { describe } from '@jest/globals';
import { openInProcessAdapter } from '../support/in-process-adapter.js';
import { describeDelivery } from './delivery.contract.js';
import { describeRecovery } from './recovery.contract.js';

// Some tests wait until leases, heartbeats and acknowledgements expire.
describe('InProcessEventBus', () => {
  describeDelivery(openInProcessAdapter);
  describeRecovery(openInProcessAdapter);
});
