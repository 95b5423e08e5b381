import Sequencer from '@jest/test-sequencer';

/** Suites that start processes or wait in real time; docs/testing.md lists the slowest of a run. */
const SLOW =
  /apps\/(standalone|simulator)\/test\/e2e\/|-crash\.|s3-blob-store|embedded-postgres|fsck-command|\/push\.spec|raw-websocket-upgrades|upload-lease|rendition-job|\/renderer\.spec|-model\.spec/;

/**
 * jest's `testSequencer`: starts the slow suites early, so that no worker is still busy with one at the end of a run, and
 * another suite after each of them, because slow suites mostly wait and several of them leave the processors idle.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }) => SLOW.test(path);
    const others = sorted.filter((test) => !isSlow(test));
    const mixed = sorted.filter(isSlow).flatMap((test) => [test, ...others.splice(0, 1)]);
    return [...mixed, ...others];
  }
}
