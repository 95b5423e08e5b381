import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Revocation, RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { RevocationAdapter } from '../support/revocation-adapter.js';

/** Access ends everywhere in this time (safety table A25). */
const IN_TIME_MS = 2_000;

export function revocation(scope: Revocation['scope'] = { sessionId: randomUUID() }): Revocation {
  return { id: randomUUID(), scope, time: Date.now() };
}

export function isRevoked(feed: RevocationFeed, { scope, time }: Revocation): boolean {
  const sessionId = 'sessionId' in scope ? scope.sessionId : 'another';
  const principal = 'principal' in scope ? scope.principal : 'user:another';
  return feed.isRevoked({ principal, sessionId, issuedAt: time - 1 });
}

/** Waits until it is known, which takes no longer than the limit. */
async function untilRevoked(feed: RevocationFeed, revocations: readonly Revocation[], limitMs: number): Promise<void> {
  const began = performance.now();
  await waitFor(() => expect(revocations.map((each) => isRevoked(feed, each))).not.toContain(false));
  expect(performance.now() - began).toBeLessThan(limitMs);
}

export async function untilFresh(feed: RevocationFeed): Promise<void> {
  await waitFor(() => expect(feed.isFresh).toBe(true));
}

/** What every feed of revocations keeps to. */
export function describeRevocationFeed(open: () => Promise<RevocationAdapter>): void {
  let adapter: RevocationAdapter;

  beforeEach(async () => {
    adapter = await open();
  });

  afterEach(() => adapter.dispose());

  test('is closed until the revocations of before are known', async () => {
    const before = revocation();
    adapter.source.rows.push(before);
    const feed = await adapter.openFeed();
    expect(feed.isFresh).toBe(false);
    await adapter.startWriting();
    await untilFresh(feed);
    expect(isRevoked(feed, before)).toBe(true);
  });

  test('tells every app of a revocation, once, in time', async () => {
    const writer = await adapter.startWriting();
    const feeds = [await adapter.openFeed(), await adapter.openFeed()];
    await Promise.all(feeds.map(untilFresh));
    const told: Revocation[] = [];
    feeds[0]?.onRevoked((each) => told.push(each));
    const [session, watch] = [revocation(), revocation({ principal: 'watch:7312904418220331' })];
    adapter.source.rows.push(session, watch);
    await writer.revoke([session, watch]);
    for (const feed of feeds) {
      await untilRevoked(feed, [session, watch], IN_TIME_MS);
      expect(isRevoked(feed, revocation())).toBe(false);
    }
    await writer.revoke([session]);
    expect(told.map(({ id }) => id).sort()).toEqual([session.id, watch.id].sort());
  });

  test('is up to date at once where the revocation is made', async () => {
    const feed = await adapter.openFeed();
    const writer = await adapter.startWriting();
    await untilFresh(feed);
    const made = revocation();
    await writer.revoke([made]);
    await untilRevoked(feed, [made], IN_TIME_MS);
  });

  test('brings what was committed and never published', async () => {
    const feed = await adapter.openFeed();
    await adapter.startWriting();
    await untilFresh(feed);
    const lost = revocation();
    adapter.source.rows.push(lost);
    await untilRevoked(feed, [lost], 2 * IN_TIME_MS);
  });

  test('stays open while the database is away, and brings what is missing when it is back', async () => {
    const feed = await adapter.openFeed();
    await adapter.startWriting();
    await untilFresh(feed);
    adapter.source.away = true;
    const lost = revocation();
    adapter.source.rows.push(lost);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(feed.isFresh).toBe(true);
    expect(isRevoked(feed, lost)).toBe(false);
    adapter.source.away = false;
    await untilRevoked(feed, [lost], 2 * IN_TIME_MS);
  });

  test('tells when it opens, and listeners that were taken away nothing', async () => {
    const feed = await adapter.openFeed();
    const changes: boolean[] = [];
    const revoked: Revocation[] = [];
    feed.onFreshness((fresh) => changes.push(fresh));
    feed.onFreshness(() => changes.push(false))();
    feed.onRevoked((each) => revoked.push(each))();
    const writer = await adapter.startWriting();
    await untilFresh(feed);
    await waitFor(() => expect(changes).toEqual([true]));
    const made = revocation();
    await writer.revoke([made]);
    await waitFor(() => expect(isRevoked(feed, made)).toBe(true));
    expect(revoked).toEqual([]);
  });
}
