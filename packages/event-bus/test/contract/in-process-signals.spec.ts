import { describe } from '@jest/globals';
import { InProcessSignals } from '../../src/in-process-signals.js';
import { describeSignals } from './signals.contract.js';

describe('in-process', () => {
  describeSignals(async (logger) => {
    const signals = new InProcessSignals(logger);
    return {
      sender: signals,
      receiver: signals,
      settle: async () => undefined,
      dispose: () => signals.close(),
    };
  });
});
