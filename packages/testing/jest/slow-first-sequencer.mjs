import Sequencer from '@jest/test-sequencer';

/**
 * jest's `testSequencer`: starts the slow suites early, so that they do not prolong the end of a run. Slow and other
 * suites alternate, because slow suites mostly wait, and several slow suites at once would leave the processors idle.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }) => path.endsWith('.slow.spec.ts') || path.includes('/standalone/test/e2e/');
    const others = sorted.filter((test) => !isSlow(test));
    const alternating = sorted.filter(isSlow).flatMap((test) => [test, ...others.splice(0, 1)]);
    return [...alternating, ...others];
  }
}
