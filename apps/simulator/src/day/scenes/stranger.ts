import { assert } from '../scene.js';
import type { Scene } from '../scene.js';
import { observedNow } from '../delivery-observer.js';

const STRANGER = { areaCode: '+86', phoneNumber: '02155501234' };

export const strangerBlocked: Scene = {
  expectation: "the watch blocks a stranger's call and the parents find it in the log",
  async run({ mother, watchActions, watch, observer }) {
    const since = Date.now();
    const cause = await watch.telephone.ring(STRANGER);
    assert(cause !== undefined, 'the watch rang');
    const { delayMs } = await observer.waitFor(mother.name, "finds the stranger's call in the log", since, async () => {
      const logged = (await watchActions.blockedCalls()).find(
        ({ phoneNumber }) => phoneNumber === STRANGER.phoneNumber,
      );
      return logged && logged.cause === cause ? observedNow(logged) : undefined;
    });
    return `${cause}, logged after ${delayMs} ms`;
  },
};
