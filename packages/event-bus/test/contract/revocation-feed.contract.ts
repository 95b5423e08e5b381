import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Revocation, RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { RevocationAdapter } from '../support/revocation-adapter.js';

/** Maximum time from a revocation until access ends in all apps. */
const REVOCATION_LIMIT_MS = 2_000;

export function createRevocation(scope: Revocation['scope'] = { sessionId: randomUUID() }): Revocation {
  return { id: randomUUID(), scope, time: Date.now() };
}

export function isRevoked(feed: RevocationFeed, { scope, time }: Revocation): boolean {
  const sessionId = 'sessionId' in scope ? scope.sessionId : 'another';
  const principal = 'principal' in scope ? scope.principal : 'user:another';
  return feed.isRevoked({ principal, sessionId, issuedAt: time - 1 });
}

/** Waits, for at most `limitMs`, until the feed has all revocations. */
async function waitForRevoked(
  feed: RevocationFeed,
  revocations: readonly Revocation[],
  limitMs: number,
): Promise<void> {
  await waitFor(() => expect(revocations.map((each) => isRevoked(feed, each))).not.toContain(false), limitMs);
}

export async function waitForFresh(feed: RevocationFeed): Promise<void> {
  await waitFor(() => expect(feed.isFresh).toBe(true));
}

/** Declares the tests that every revocation feed must pass. */
export function describeRevocationFeed(open: () => Promise<RevocationAdapter>): void {
  let adapter: RevocationAdapter;

  beforeEach(async () => {
    adapter = await open();
  });

  afterEach(() => adapter.dispose());

  test('the feed is stale until all earlier revocations have been read', async () => {
    const before = createRevocation();
    adapter.source.revocations.push(before);
    const feed = await adapter.openFeed();
    expect(feed.isFresh).toBe(false);
    await adapter.startPublisher();
    await waitForFresh(feed);
    expect(isRevoked(feed, before)).toBe(true);
  });

  test('the feed notifies every app of a revocation once and within two seconds', async () => {
    const publisher = await adapter.startPublisher();
    const feeds = [await adapter.openFeed(), await adapter.openFeed()];
    await Promise.all(feeds.map(waitForFresh));
    const notified: Revocation[] = [];
    feeds[0]?.onRevoked((each) => notified.push(each));
    const [session, watch] = [createRevocation(), createRevocation({ principal: 'watch:7312904418220331' })];
    adapter.source.revocations.push(session, watch);
    await publisher.revoke([session, watch]);
    for (const feed of feeds) {
      await waitForRevoked(feed, [session, watch], REVOCATION_LIMIT_MS);
      expect(isRevoked(feed, createRevocation())).toBe(false);
    }
    await publisher.revoke([session]);
    expect(notified.map(({ id }) => id).sort()).toEqual([session.id, watch.id].sort());
  });

  test('the feed applies a revocation in the publishing process within two seconds', async () => {
    const feed = await adapter.openFeed();
    const publisher = await adapter.startPublisher();
    await waitForFresh(feed);
    const published = createRevocation();
    await publisher.revoke([published]);
    await waitForRevoked(feed, [published], REVOCATION_LIMIT_MS);
  });

  test('the feed delivers revocations that were committed but not published', async () => {
    const feed = await adapter.openFeed();
    await adapter.startPublisher();
    await waitForFresh(feed);
    const lost = createRevocation();
    adapter.source.revocations.push(lost);
    await waitForRevoked(feed, [lost], 2 * REVOCATION_LIMIT_MS);
  });

  test('the feed stays fresh during a database outage and delivers missing revocations afterwards', async () => {
    const feed = await adapter.openFeed();
    await adapter.startPublisher();
    await waitForFresh(feed);
    adapter.source.isDatabaseDown = true;
    const lost = createRevocation();
    adapter.source.revocations.push(lost);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(feed.isFresh).toBe(true);
    expect(isRevoked(feed, lost)).toBe(false);
    adapter.source.isDatabaseDown = false;
    await waitForRevoked(feed, [lost], 2 * REVOCATION_LIMIT_MS);
  });

  test('the feed notifies its listeners when it becomes fresh, and never calls removed listeners', async () => {
    const feed = await adapter.openFeed();
    const changes: boolean[] = [];
    const revoked: Revocation[] = [];
    feed.onFreshnessChange((fresh) => changes.push(fresh));
    feed.onFreshnessChange(() => changes.push(false))();
    feed.onRevoked((each) => revoked.push(each))();
    const publisher = await adapter.startPublisher();
    await waitForFresh(feed);
    await waitFor(() => expect(changes).toEqual([true]));
    const published = createRevocation();
    await publisher.revoke([published]);
    await waitFor(() => expect(isRevoked(feed, published)).toBe(true));
    expect(revoked).toEqual([]);
  });
}
