import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { type Envelope, createEnvelope } from '../../src/envelope.js';
import { partitionOf } from '../../src/partition.js';
import { CONSUMER_APP, type OpenBusAdapter } from '../support/bus-adapter.js';
import { type TestEvent, recordingHandler, deployment, useDeployment, stepHandler } from '../support/deployment.js';
import { otherKeyInSamePartition } from '../support/keys.js';

const range = (length: number) => Array.from({ length }, (_, n) => n);

/** Declares the tests of delivery that every event bus must pass, including failing handlers and rejected envelopes. */
export function describeDelivery(openAdapter: OpenBusAdapter): void {
  describe('delivery', () => {
    useDeployment(openAdapter);

    describe('envelopes', () => {
      test('delivers every event to every handler once and in order per key', async () => {
        await deployment.startConsumer((record) => [recordingHandler(record), recordingHandler(record, 'count')]);
        const publisher = await deployment.startPublisher();
        const keys = range(20).map((n) => `family-${n}`);
        for (const n of range(15)) {
          await Promise.all(keys.map((key) => publisher.append(key, n)));
        }
        await waitFor(async () => expect(await deployment.listHandledEvents()).toHaveLength(2 * 15 * keys.length));
        for (const key of keys) {
          expect(await deployment.listHandledSteps(key, 'walk')).toEqual(range(15));
          expect(await deployment.listHandledSteps(key, 'count')).toEqual(range(15));
        }
        await waitFor(async () => expect(await deployment.countUnpublished()).toBe(0));
      });

      test('preserves the order per key over several envelopes', async () => {
        const publisher = await deployment.startPublisher();
        await publisher.append('family', ...range(450));
        await deployment.startConsumer((record) => [recordingHandler(record)]);
        await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual(range(450)));
      });

      test('redelivers an envelope until the consumer accepts it', async () => {
        const bus = await deployment.adapter.openBus();
        const delivered: Envelope[] = [];
        await bus.subscribe({
          consumer: CONSUMER_APP,
          events: ['userctx.step.taken'],
          deliver: async (envelope) => {
            delivered.push(envelope);
            if (delivered.length < 3) throw new Error('not yet');
          },
          deliverMalformed: () => Promise.reject(new Error('No message is malformed')),
        });
        const publisher = await deployment.startPublisher();
        await publisher.append('family', 1, 2);
        await waitFor(async () => expect(delivered).toHaveLength(3));
        expect(delivered[2]).toEqual(delivered[0]);
        await waitFor(async () => expect(await deployment.countUnpublished()).toBe(0));
        await publisher.append('family', 3);
        await waitFor(async () => expect(delivered.at(-1)?.events).toMatchObject([{ payload: { step: 3 } }]));
        expect(delivered).toHaveLength(4);
      });

      test('handles an event once when it arrives in two envelopes', async () => {
        await deployment.startConsumer((record) => [recordingHandler(record)]);
        const bus = await deployment.adapter.openBus();
        const step = (n: number): TestEvent => ({
          id: `00000000-0000-4000-8000-00000000000${n}`,
          name: 'userctx.step.taken',
          key: 'family',
          time: 0,
          payload: { step: n },
        });
        const partition = partitionOf('family');
        await bus.publish(createEnvelope('userctx', partition, [step(1)]));
        await bus.publish(createEnvelope('userctx', partition, [step(1), step(2)]));
        await bus.publish(createEnvelope('userctx', partition, [step(2), step(3)]));
        await waitFor(async () => expect(await deployment.listHandledSteps('family')).toContain(3));
        expect(await deployment.listHandledSteps('family')).toEqual([1, 2, 3]);
      });

      test('loses no event when transactions commit in another order than they append', async () => {
        await deployment.startConsumer((record) => [recordingHandler(record)]);
        const publisher = await deployment.startPublisher();
        const commitFirst = Promise.withResolvers<void>();
        const appended = Promise.withResolvers<void>();
        const slow = publisher.scope.run(async () => {
          await publisher.outbox.append({ name: 'userctx.step.taken', key: 'slow', payload: { step: 1 } });
          appended.resolve();
          await commitFirst.promise;
        });
        await appended.promise;
        await publisher.append('fast', 2);
        await waitFor(async () => expect(await deployment.listHandledSteps('fast')).toEqual([2]));
        expect(await deployment.listHandledSteps('slow')).toEqual([]);
        commitFirst.resolve();
        await slow;
        await waitFor(async () => expect(await deployment.listHandledSteps('slow')).toEqual([1]));
      });

      test('preserves the order per key with two consumer processes', async () => {
        const jitter = () => sleep(Math.random() * 3);
        const start = () =>
          deployment.startConsumer((record) => [
            stepHandler(async (event) => {
              await jitter();
              await record('walk', event);
            }),
          ]);
        await start();
        await start();
        const publisher = await deployment.startPublisher();
        const keys = range(16).map((n) => `family-${n}`);
        for (const n of range(12)) {
          await Promise.all(keys.map((key) => publisher.append(key, n)));
        }
        await waitFor(async () => expect(await deployment.listHandledEvents()).toHaveLength(12 * keys.length));
        for (const key of keys) expect(await deployment.listHandledSteps(key)).toEqual(range(12));
        const nodes = new Set((await deployment.listHandledEvents()).map((row) => row.node));
        expect(nodes.size).toBe(2);
      });
    });

    describe('failing handlers', () => {
      const isPoisonous = (event: TestEvent) => event.key === 'poisoned' && event.payload.step === 2;

      test('block only the events of one key until the failing event becomes a dead letter', async () => {
        let attempts = 0;
        const lastAttempt = Promise.withResolvers<void>();
        await deployment.startConsumer(
          (record) => [
            stepHandler(async (event) => {
              await record('walk', event);
              if (!isPoisonous(event)) return;
              attempts += 1;
              if (attempts === 3) await lastAttempt.promise;
              throw new Error('poison');
            }),
            recordingHandler(record, 'count'),
          ],
          { retryPolicy: { maxAttempts: 3, baseDelayMs: 20, maxDelayMs: 20 } },
        );
        const publisher = await deployment.startPublisher();
        const neighbourKey = otherKeyInSamePartition('poisoned');
        await publisher.append('poisoned', 1, 2, 3);
        await publisher.append(neighbourKey, 1, 2, 3);
        await publisher.append('poisoned', 4);

        await waitFor(async () => expect(await deployment.listHandledSteps(neighbourKey)).toEqual([1, 2, 3]));
        await waitFor(async () => expect(await deployment.listHandledSteps('poisoned', 'count')).toEqual([1, 2, 3, 4]));
        expect(await deployment.listHandledSteps('poisoned')).toEqual([1]);
        await waitFor(async () => expect(await deployment.countUnpublished()).toBe(0));
        lastAttempt.resolve();

        await waitFor(async () => expect(await deployment.listHandledSteps('poisoned')).toEqual([1, 3, 4]));
        expect(await deployment.deadLetters.list({ limit: 10 })).toMatchObject([
          {
            handler: 'walk',
            attempts: 3,
            lastError: 'Error: poison',
            event: { key: 'poisoned', payload: { step: 2 } },
          },
        ]);
      });

      test('are retried until they succeed and leave no dead letter', async () => {
        let failures = 0;
        await deployment.startConsumer((record) => [
          stepHandler(async (event) => {
            await record('walk', event);
            if (isPoisonous(event) && failures++ < 3) throw new Error('not yet');
          }),
        ]);
        const publisher = await deployment.startPublisher();
        await publisher.append('poisoned', 1, 2, 3);
        await waitFor(async () => expect(await deployment.listHandledSteps('poisoned')).toEqual([1, 2, 3]));
        expect(await deployment.deadLetters.list({ limit: 10 })).toEqual([]);
      });

      test('process a replayed dead letter once they no longer fail', async () => {
        let isRepaired = false;
        const node = await deployment.startConsumer((record) => [
          stepHandler(async (event) => {
            if (isPoisonous(event) && !isRepaired) throw new Error('poison');
            await record('walk', event);
          }),
        ]);
        const publisher = await deployment.startPublisher();
        await publisher.append('poisoned', 1, 2, 3);
        const [deadLetter] = await waitFor(async () => {
          const deadLetters = await deployment.deadLetters.list({ handler: 'walk', limit: 10 });
          expect(deadLetters).toHaveLength(1);
          return deadLetters;
        });
        await waitFor(async () => expect(await deployment.listHandledSteps('poisoned')).toEqual([1, 3]));
        isRepaired = true;
        expect(await deployment.deadLetters.replay(deadLetter?.id ?? '')).toBe(true);
        expect(await deployment.deadLetters.replay(deadLetter?.id ?? '')).toBe(false);
        await waitFor(async () => expect(await deployment.listHandledSteps('poisoned')).toEqual([1, 3, 2]));
        expect(await deployment.deadLetters.list({ limit: 10 })).toEqual([]);
        expect(await node.consumer.countRetries()).toBe(0);
      });
    });
  });
}
