import { describe, expect, test } from '@jest/globals';
import { InProcessRevocationFeed } from '../../src/revocation-feed/in-process-revocation-feed.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { InMemoryRevocationSource, type RevocationAdapter } from '../support/revocation-adapter.js';
import { describeRevocationFeed, isRevoked, createRevocation } from './revocation-feed.contract.js';

/** Opens the adapter of a single process, in which every app uses the same feed object. */
async function openAdapter(): Promise<RevocationAdapter> {
  const source = new InMemoryRevocationSource();
  const feed = new InProcessRevocationFeed({ logger: new RecordingLogger() });
  return {
    source,
    startPublisher: async () => {
      await feed.start(source);
      return feed;
    },
    openFeed: async () => feed,
    dispose: () => feed.close(),
  };
}

describe('InProcessRevocationFeed', () => {
  describeRevocationFeed(openAdapter);

  test('applies a revocation as soon as it is published', () => {
    const feed = new InProcessRevocationFeed({ logger: new RecordingLogger() });
    const published = createRevocation();
    void feed.revoke([published]);
    expect(isRevoked(feed, published)).toBe(true);
  });

  test('stays stale when the database cannot be read', async () => {
    const source = new InMemoryRevocationSource();
    source.isDatabaseDown = true;
    const feed = new InProcessRevocationFeed({ logger: new RecordingLogger() });
    await expect(feed.start(source)).rejects.toThrow('unavailable');
    expect(feed.isFresh).toBe(false);
  });
});
