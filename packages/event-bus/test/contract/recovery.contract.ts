import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { EventBus } from '../../src/event-bus.js';
import type { OpenBusAdapter } from '../support/bus-adapter.js';
import { recordingHandler, deployment, useDeployment, stepHandler, withPublish } from '../support/deployment.js';

/** Declares the tests of recovery after crashes of processes and of the broker, which every event bus must pass. */
export function describeRecovery(openAdapter: OpenBusAdapter): void {
  describe('recovery', () => {
    useDeployment(openAdapter);

    /** Returns a bus that forwards all calls to `bus`, and calls `onPublished` after each publish, also a failed one. */
    const observePublishes = (bus: EventBus, onPublished: () => void): EventBus =>
      withPublish(bus, (envelope) => bus.publish(envelope).finally(onPublished));

    /** Starts a publisher; `attempted` waits until it has published, or tried to publish, events of so many keys. */
    async function startObservedPublisher() {
      let attempts = 0;
      const publisher = await deployment.startPublisher({ wrapBus: (bus) => observePublishes(bus, () => attempts++) });
      return {
        ...publisher,
        attempted: (count: number) => waitFor(() => expect(attempts).toBeGreaterThanOrEqual(count)),
      };
    }

    test('handles events once when the publisher crashes between publish and confirmation', async () => {
      await deployment.startConsumer((record) => [recordingHandler(record)]);
      let published = 0;
      const crashing = await deployment.startPublisher({
        wrapBus: (bus) =>
          observePublishes(bus, () => {
            published++;
            crashing.scope.crash();
          }),
      });
      await crashing.append('family', 1, 2, 3);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2, 3]));
      await waitFor(() => expect(published).toBe(1));
      expect(await deployment.countUnpublished()).toBe(3);

      await deployment.expireLease();
      const next = await deployment.startPublisher();
      await next.append('family', 4);
      await waitFor(async () => expect(await deployment.countUnpublished()).toBe(0));
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2, 3, 4]));
    });

    test('redelivers to another consumer when a consumer crashes in a handler', async () => {
      const reached = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const crashing = await deployment.startConsumer((record) => [
        stepHandler(async (event) => {
          await record('walk', event);
          if (event.payload.step !== 2) return;
          reached.resolve();
          await release.promise;
        }),
      ]);
      const publisher = await deployment.startPublisher();
      await publisher.append('family', 1, 2, 3);
      await reached.promise;
      await crashing.crash();
      release.resolve();
      expect(await deployment.listHandledEvents()).toEqual([]);

      const next = await deployment.startConsumer((record) => [recordingHandler(record)]);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2, 3]));
      expect(new Set((await deployment.listHandledEvents()).map((row) => row.node))).toEqual(new Set([next.name]));
    });

    test('retains events that are committed while no consumer runs', async () => {
      const publisher = await startObservedPublisher();
      await publisher.append('family', 1, 2, 3);
      await publisher.attempted(1);
      await deployment.startConsumer((record) => [recordingHandler(record)]);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2, 3]));
    });

    test('republishes events when the broker loses its data before they are consumed', async () => {
      const publisher = await startObservedPublisher();
      await publisher.append('family', 1, 2);
      await publisher.append('other', 1);
      await publisher.attempted(2);
      await deployment.adapter.wipe();
      await publisher.append('family', 3);
      await deployment.startConsumer((record) => [recordingHandler(record)]);
      await waitFor(async () => expect(await deployment.listHandledEvents()).toHaveLength(4));
      expect((await deployment.listHandledSteps('family')).sort()).toEqual([1, 2, 3]);
      expect(await deployment.listHandledSteps('other')).toEqual([1]);
    });

    test('loses no later event when the broker loses its data while consumers run', async () => {
      await deployment.startConsumer((record) => [recordingHandler(record)]);
      const publisher = await deployment.startPublisher();
      await publisher.append('family', 1, 2);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2]));
      await deployment.adapter.wipe();
      await publisher.append('family', 3);
      await publisher.append('other', 1);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2, 3]));
      await waitFor(async () => expect(await deployment.listHandledSteps('other')).toEqual([1]));
    });

    test('republishes events when the broker loses its data while no relay runs', async () => {
      const before = await startObservedPublisher();
      await before.append('family', 1, 2);
      await before.attempted(1);
      await before.relay.stop();
      await deployment.adapter.wipe();
      await deployment.startConsumer((record) => [recordingHandler(record)]);
      await deployment.startPublisher();
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2]));
    });

    test('continues publishing with the second relay when the first relay is killed', async () => {
      await deployment.startConsumer((record) => [recordingHandler(record)]);
      const published = { first: 0, second: 0 };
      const first = await deployment.startPublisher({
        wrapBus: (bus) => observePublishes(bus, () => published.first++),
      });
      await first.append('family', 1);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1]));
      const second = await deployment.startPublisher({
        wrapBus: (bus) => observePublishes(bus, () => published.second++),
      });
      await second.append('family', 2);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2]));
      await waitFor(() => expect(published).toEqual({ first: 2, second: 0 }));

      first.scope.crash();
      await deployment.expireLease();
      await second.append('family', 3);
      await second.append('other', 1);
      await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2, 3]));
      await waitFor(async () => expect(await deployment.listHandledSteps('other')).toEqual([1]));
      expect(published.first).toBe(2);
    });
  });
}
