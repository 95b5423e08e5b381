import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { type NatsRevocationAdapter, openNatsRevocationAdapter } from '../support/nats-revocation-adapter.js';
import { isNatsReachable, natsUrl } from '@family-watch/testing/service/nats';
import { describeRevocationFeed, isRevoked, revocation, untilFresh } from './revocation-feed.contract.js';

function describeBetweenProcesses(): void {
  let adapter: NatsRevocationAdapter;

  beforeEach(async () => {
    adapter = await openNatsRevocationAdapter();
  });

  afterEach(() => adapter.dispose());

  test('an app that starts later reads what was revoked before', async () => {
    const writer = await adapter.startWriting();
    const made = revocation();
    await writer.revoke([made]);
    await adapter.stopWriting();
    // Not in the table, so only the stream can bring it.
    await adapter.startWriting();
    const late = await adapter.openFeed();
    await untilFresh(late);
    expect(isRevoked(late, made)).toBe(true);
  });

  test('doors close after two seconds of silence, and open again', async () => {
    await adapter.startWriting();
    const feed = await adapter.openFeed();
    await untilFresh(feed);
    const changes: boolean[] = [];
    feed.onFreshness((fresh) => changes.push(fresh));
    await adapter.stopWriting();
    const silentSince = performance.now();
    await waitFor(() => expect(changes).toEqual([false]));
    expect(feed.isFresh).toBe(false);
    expect(performance.now() - silentSince).toBeLessThan(5_000);
    await adapter.startWriting();
    await untilFresh(feed);
    await waitFor(() => expect(changes).toEqual([false, true]));
  });

  test('one of two writing replicas is enough', async () => {
    const [first, feed] = [await adapter.startWriting(), await adapter.openFeed()];
    await adapter.startWriting();
    await untilFresh(feed);
    await first.close();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await untilFresh(feed);
  });

  test('a message that is no revocation does not hide the one behind it', async () => {
    const writer = await adapter.startWriting();
    const feed = await adapter.openFeed();
    await untilFresh(feed);
    await adapter.publishRaw('not a revocation');
    const made = revocation();
    await writer.revoke([made]);
    await waitFor(() => expect(isRevoked(feed, made)).toBe(true));
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await untilFresh(feed);
  });

  test('a stream that was lost is made again and filled from the database', async () => {
    const writer = await adapter.startWriting();
    const feed = await adapter.openFeed();
    await untilFresh(feed);
    const [before, after] = [revocation(), revocation()];
    adapter.source.rows.push(before);
    await writer.revoke([before]);
    await adapter.wipe();
    const late = await adapter.openFeed();
    await untilFresh(late);
    expect(isRevoked(late, before)).toBe(true);
    await writer.revoke([after]);
    for (const each of [feed, late]) {
      await waitFor(() => expect(isRevoked(each, after)).toBe(true));
      await untilFresh(each);
    }
  });
}

if (await isNatsReachable()) {
  describe('revocation feed over NATS', () => {
    describeRevocationFeed(openNatsRevocationAdapter);
    describeBetweenProcesses();
  });
} else {
  describe.skip(`NATS: no server reachable at ${natsUrl}, not run`, () => {
    test('revocation feed contract', () => undefined);
  });
}
