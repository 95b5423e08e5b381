import Sequencer from '@jest/test-sequencer';

/**
 * jest's `testSequencer`: starts the slow suites and those of the built product early, so that they do not prolong the end
 * of a run. They alternate with the others, because they often wait, and several at once would leave the processors idle.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const startsEarly = ({ path }) => path.endsWith('.slow.spec.ts') || path.includes('/standalone/test/e2e/');
    const others = sorted.filter((test) => !startsEarly(test));
    const alternating = sorted.filter(startsEarly).flatMap((test) => [test, ...others.splice(0, 1)]);
    return [...alternating, ...others];
  }
}
