import Sequencer from '@jest/test-sequencer';

/** Suites that start processes or wait in real time; docs/testing.md lists the slowest of a run. */
const SLOW =
  /apps\/(standalone|simulator)\/test\/e2e\/|-crash\.|s3-blob-store|embedded-postgres|fsck-command|\/push\.spec|raw-websocket-upgrades|upload-lease|rendition-job|\/renderer\.spec|-model\.spec/;

/**
 * jest's `testSequencer`: runs slow suites first, so that no worker is still busy with one at the end of a run. jest
 * caches the durations of the last run, but a fresh clone has none.
 */
export default class SlowFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    const isSlow = ({ path }) => SLOW.test(path);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
}
