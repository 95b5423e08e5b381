import { describe } from '@jest/globals';
import { InProcessPubSub } from '../../src/in-process-pub-sub.js';
import { describePubSub } from './pub-sub.contract.js';

describe('InProcessPubSub', () => {
  describePubSub(async (logger) => {
    const pubSub = new InProcessPubSub(logger);
    return {
      sender: pubSub,
      receiver: pubSub,
      flush: async () => undefined,
      dispose: () => pubSub.close(),
    };
  });
});
