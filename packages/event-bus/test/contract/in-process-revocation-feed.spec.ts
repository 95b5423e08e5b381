import { describe, expect, test } from '@jest/globals';
import { InProcessRevocationFeed } from '../../src/revocation-feed/in-process-revocation-feed.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { RecordedRevocations, type RevocationAdapter } from '../support/revocation-adapter.js';
import { describeRevocationFeed, isRevoked, revocation } from './revocation-feed.contract.js';

/** One process: every app asks the same object. */
async function openAdapter(): Promise<RevocationAdapter> {
  const source = new RecordedRevocations();
  const feed = new InProcessRevocationFeed({ logger: new RecordingLogger() });
  return {
    source,
    startWriting: async () => {
      await feed.start(source);
      return feed;
    },
    openFeed: async () => feed,
    dispose: () => feed.close(),
  };
}

describe('revocation feed in process', () => {
  describeRevocationFeed(openAdapter);

  test('knows a revocation as soon as it is published', () => {
    const feed = new InProcessRevocationFeed({ logger: new RecordingLogger() });
    const made = revocation();
    void feed.revoke([made]);
    expect(isRevoked(feed, made)).toBe(true);
  });

  test('does not open when the database cannot be read', async () => {
    const source = new RecordedRevocations();
    source.away = true;
    const feed = new InProcessRevocationFeed({ logger: new RecordingLogger() });
    await expect(feed.start(source)).rejects.toThrow('away');
    expect(feed.isFresh).toBe(false);
  });
});
