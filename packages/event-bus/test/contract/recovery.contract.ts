import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { EventBus } from '../../src/event-bus.js';
import type { OpenBusAdapter } from '../support/bus-adapter.js';
import { Deployment, walker } from '../support/deployment.js';
import { TestDatabase } from '../support/test-database.js';

/** What every event bus must do when a process or the broker goes down at the worst moment. */
export function describeRecovery(openAdapter: OpenBusAdapter): void {
  describe('recovery', () => {
    let database: TestDatabase;
    let deployment: Deployment;

    beforeAll(async () => {
      database = await TestDatabase.create();
    });
    beforeEach(async () => {
      deployment = await Deployment.open(database, openAdapter);
    });
    afterEach(() => deployment.close());
    afterAll(() => database.drop());

    /** The bus as `bus` is, telling of each envelope once it has been published. */
    const observed = (bus: EventBus, published: () => void): EventBus => ({
      subscribe: (subscription) => bus.subscribe(subscription),
      position: () => bus.position(),
      close: () => bus.close(),
      publish: async (envelope) => {
        const receipt = await bus.publish(envelope);
        published();
        return receipt;
      },
    });

    test('publisher crashes after publishing and before confirming', async () => {
      await deployment.startConsumer((record) => [walker(record)]);
      let published = 0;
      const crashing = await deployment.startPublisher({
        wrapBus: (bus) =>
          observed(bus, () => {
            published++;
            crashing.scope.die();
          }),
      });
      await crashing.append('family', 1, 2, 3);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2, 3]));
      expect(published).toBe(1);
      expect(await deployment.unconfirmed()).toBe(3);

      const next = await deployment.startPublisher();
      await next.append('family', 4);
      await waitFor(async () => expect(await deployment.unconfirmed()).toBe(0));
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2, 3, 4]));
    });

    test('consumer crashes in the middle of a handler', async () => {
      const reached = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const crashing = await deployment.startConsumer((record) => [
        {
          name: 'walk',
          event: 'userctx.step.taken',
          handle: async (event) => {
            await record('walk', event);
            if (event.payload.n !== 2) return;
            reached.resolve();
            await release.promise;
          },
        },
      ]);
      const publisher = await deployment.startPublisher();
      await publisher.append('family', 1, 2, 3);
      await reached.promise;
      await crashing.crash();
      release.resolve();
      expect(await deployment.seen()).toEqual([]);

      const next = await deployment.startConsumer((record) => [walker(record)]);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2, 3]));
      expect(new Set((await deployment.seen()).map((row) => row.node))).toEqual(new Set([next.name]));
    });

    test('events committed while nobody consumes wait for the consumer', async () => {
      const publisher = await deployment.startPublisher();
      await publisher.append('family', 1, 2, 3);
      await sleep(300);
      await deployment.startConsumer((record) => [walker(record)]);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2, 3]));
    });

    test('broker loses all its data before they are consumed', async () => {
      const publisher = await deployment.startPublisher();
      await publisher.append('family', 1, 2);
      await publisher.append('other', 1);
      await sleep(300);
      await deployment.adapter.wipe();
      await publisher.append('family', 3);
      await deployment.startConsumer((record) => [walker(record)]);
      await waitFor(async () => expect(await deployment.seen()).toHaveLength(4));
      expect((await deployment.seenOf('family')).sort()).toEqual([1, 2, 3]);
      expect(await deployment.seenOf('other')).toEqual([1]);
    });

    test('broker loses all its data while consumers run', async () => {
      await deployment.startConsumer((record) => [walker(record)]);
      const publisher = await deployment.startPublisher();
      await publisher.append('family', 1, 2);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2]));
      await deployment.adapter.wipe();
      await publisher.append('family', 3);
      await publisher.append('other', 1);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2, 3]));
      await waitFor(async () => expect(await deployment.seenOf('other')).toEqual([1]));
    });

    test('broker loses all its data while no relay runs', async () => {
      const before = await deployment.startPublisher();
      await before.append('family', 1, 2);
      await sleep(300);
      await before.relay.stop();
      await deployment.adapter.wipe();
      await deployment.startConsumer((record) => [walker(record)]);
      await deployment.startPublisher();
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2]));
    });

    test('one of two relays is killed', async () => {
      await deployment.startConsumer((record) => [walker(record)]);
      const published = { first: 0, second: 0 };
      const first = await deployment.startPublisher({ wrapBus: (bus) => observed(bus, () => published.first++) });
      await first.append('family', 1);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1]));
      const second = await deployment.startPublisher({ wrapBus: (bus) => observed(bus, () => published.second++) });
      await second.append('family', 2);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2]));
      expect(published).toEqual({ first: 2, second: 0 });

      first.scope.die();
      await second.append('family', 3);
      await second.append('other', 1);
      await waitFor(async () => expect(await deployment.seenOf('family')).toEqual([1, 2, 3]));
      await waitFor(async () => expect(await deployment.seenOf('other')).toEqual([1]));
      expect(published.first).toBe(2);
    });
  });
}
