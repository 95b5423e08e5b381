import Sequencer from '@jest/test-sequencer';

/** Suites that start processes, or wait for real time to pass; docs/testing.md lists the slowest of a run. */
const SLOW =
  /apps\/(standalone|simulator)\/test\/e2e\/|-crash\.|s3-blob-store|embedded-postgres|fsck-command|\/push\.spec|raw-websocket-upgrades|upload-lease|rendition-job|\/renderer\.spec|-model\.spec/;

/**
 * jest's `testSequencer`: the slow suites first, so that at the end of a run no worker is left alone with one. jest knows
 * the durations of the last run by itself; a fresh clone has none.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }) => SLOW.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
