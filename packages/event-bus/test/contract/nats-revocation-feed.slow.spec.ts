import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { type NatsRevocationAdapter, openNatsRevocationAdapter } from '../support/nats-revocation-adapter.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { describeRevocationFeed, isRevoked, createRevocation, waitForFresh } from './revocation-feed.contract.js';

function describeFeedsOfSeparateProcesses(): void {
  let adapter: NatsRevocationAdapter;

  beforeEach(async () => {
    adapter = await openNatsRevocationAdapter();
  });

  afterEach(() => adapter.dispose());

  test('the feed of an app that starts later reads earlier revocations from the stream', async () => {
    const publisher = await adapter.startPublisher();
    const published = createRevocation();
    await publisher.revoke([published]);
    await adapter.stopPublishers();
    // The database table does not contain the revocation, so only the stream can deliver it.
    await adapter.startPublisher();
    const late = await adapter.openFeed();
    await waitForFresh(late);
    expect(isRevoked(late, published)).toBe(true);
  });

  test('the feed becomes stale without heartbeats and fresh after the next heartbeat', async () => {
    await adapter.startPublisher();
    const feed = await adapter.openFeed();
    await waitForFresh(feed);
    const changes: boolean[] = [];
    feed.onFreshnessChange((fresh) => changes.push(fresh));
    await adapter.stopPublishers();
    await waitFor(() => expect(changes).toEqual([false]));
    expect(feed.isFresh).toBe(false);
    await adapter.startPublisher();
    await waitForFresh(feed);
    await waitFor(() => expect(changes).toEqual([false, true]));
  });

  test('a feed without heartbeats stays fresh while its source responds', async () => {
    await adapter.startPublisher();
    const [feed, feedWithoutSource] = [await adapter.openFeedWithSource(), await adapter.openFeed()];
    await Promise.all([feed, feedWithoutSource].map(waitForFresh));
    const changes: boolean[] = [];
    feed.onFreshnessChange((fresh) => changes.push(fresh));
    await adapter.stopPublishers();
    await waitFor(() => expect(feedWithoutSource.isFresh).toBe(false));
    const late = createRevocation();
    adapter.source.revocations.push(late);
    await waitFor(() => expect(isRevoked(feed, late)).toBe(true));
    expect(feed.isFresh).toBe(true);
    expect(changes).toEqual([]);
    adapter.source.isDatabaseDown = true;
    await waitFor(() => expect(changes).toEqual([false]));
    adapter.source.isDatabaseDown = false;
    await waitForFresh(feed);
  });

  test('the feed stays fresh while at least one of two publishers runs', async () => {
    const [first, feed] = [await adapter.startPublisher(), await adapter.openFeed()];
    await adapter.startPublisher();
    await waitForFresh(feed);
    await first.close();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await waitForFresh(feed);
  });

  test('the feed processes revocations after a malformed message', async () => {
    const publisher = await adapter.startPublisher();
    const feed = await adapter.openFeed();
    await waitForFresh(feed);
    await adapter.publishRaw('not a revocation');
    const published = createRevocation();
    await publisher.revoke([published]);
    await waitFor(() => expect(isRevoked(feed, published)).toBe(true));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await waitForFresh(feed);
  });

  test('A40 an event that an app pulls to the subjects of the feed revokes nothing and keeps no feed fresh', async () => {
    const publisher = await adapter.startPublisher();
    const feed = await adapter.openFeed();
    await waitForFresh(feed);
    const forged = createRevocation();
    await adapter.pullEventTo('revocations', JSON.stringify(forged));
    const published = createRevocation();
    await publisher.revoke([published]);
    const late = await adapter.openFeed();
    await waitForFresh(late);
    for (const each of [feed, late]) {
      await waitFor(() => expect(isRevoked(each, published)).toBe(true));
      expect(isRevoked(each, forged)).toBe(false);
    }
    const position = await adapter.position();
    await adapter.stopPublishers();
    await waitFor(async () => {
      await adapter.pullEventTo('signals.revocations.tick', JSON.stringify(position));
      expect([feed.isFresh, late.isFresh]).toEqual([false, false]);
    });
  });

  test('a feed that misses a message of core NATS reads the revocation from the stream', async () => {
    const publisher = await adapter.startPublisher();
    const feed = await adapter.openFeedWithoutMessages();
    await waitForFresh(feed);
    const published = createRevocation();
    await publisher.revoke([published]);
    await waitFor(() => expect(isRevoked(feed, published)).toBe(true));
    await waitForFresh(feed);
  });

  test('the publisher recreates a lost stream and fills it from the database', async () => {
    const publisher = await adapter.startPublisher();
    const feed = await adapter.openFeed();
    await waitForFresh(feed);
    const [before, after] = [createRevocation(), createRevocation()];
    adapter.source.revocations.push(before);
    await publisher.revoke([before]);
    await adapter.wipe();
    const late = await adapter.openFeed();
    await waitForFresh(late);
    expect(isRevoked(late, before)).toBe(true);
    await publisher.revoke([after]);
    for (const each of [feed, late]) {
      await waitFor(() => expect(isRevoked(each, after)).toBe(true));
      await waitForFresh(each);
    }
  });
}

needs('nats').describe('NatsRevocationFeed', () => {
  describeRevocationFeed(openNatsRevocationAdapter);
  describeFeedsOfSeparateProcesses();
});
