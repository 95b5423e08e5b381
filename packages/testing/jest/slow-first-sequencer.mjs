import Sequencer from '@jest/test-sequencer';

/** Paths of suites that start processes or wait in real time; the report of a run lists its slowest suites. */
const SLOW_SUITES =
  /apps\/(standalone|simulator)\/test\/e2e\/|event-bus\/test\/contract\/|-crash\.|s3-blob-store|embedded-postgres|fsck-command|\/push\.spec|raw-websocket-upgrades|upload-lease|rendition-job|server-process|unresponsive-connection|write-check|\/renderer\.spec|-model\.spec/;

/**
 * jest's `testSequencer`: starts the slow suites early, so that they do not prolong the end of a run. Slow and other
 * suites alternate, because slow suites mostly wait, and several slow suites at once would leave the processors idle.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }) => SLOW_SUITES.test(path);
    const others = sorted.filter((test) => !isSlow(test));
    const alternating = sorted.filter(isSlow).flatMap((test) => [test, ...others.splice(0, 1)]);
    return [...alternating, ...others];
  }
}
