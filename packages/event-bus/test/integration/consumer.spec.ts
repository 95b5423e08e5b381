import { describe, expect, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { recordingHandler, deployment, useDeployment, stepHandler } from '../support/deployment.js';
import { openInProcessAdapter } from '../support/in-process-adapter.js';

describe('EventConsumer', () => {
  useDeployment(openInProcessAdapter);

  test('throws when a second handler with the same name is registered, and when a handler is registered after the start', async () => {
    await expect(
      deployment.startConsumer((record) => [recordingHandler(record), recordingHandler(record)]),
    ).rejects.toThrow('Two event handlers are named walk');
    const { consumer } = await deployment.startConsumer((record) => [recordingHandler(record)]);
    expect(() => consumer.register(recordingHandler(async () => undefined, 'late'))).toThrow('after the start');
  });

  test('preserves the order of several event types within one handler', async () => {
    const done: string[] = [];
    await deployment.startConsumer(() => [
      {
        name: 'position',
        event: ['userctx.step.taken', 'userctx.step.undone'],
        handle: async (event) => void done.push(`${event.name} ${event.payload.step}`),
      },
    ]);
    const { scope, outbox } = await deployment.startPublisher();
    await scope.run(() =>
      outbox.append(
        { name: 'userctx.step.taken', key: 'family', payload: { step: 1 } },
        { name: 'userctx.step.undone', key: 'family', payload: { step: 1 } },
        { name: 'userctx.step.taken', key: 'family', payload: { step: 2 } },
      ),
    );
    await waitFor(() =>
      expect(done).toEqual(['userctx.step.taken 1', 'userctx.step.undone 1', 'userctx.step.taken 2']),
    );
  });

  test('passes events of several envelopes to a batch handler together and isolates a failing event', async () => {
    const done: string[] = [];
    const sizes: number[] = [];
    let deliveryCount = 0;
    const { promise: firstBatchStarted, resolve: startFirstBatch } = Promise.withResolvers<void>();
    const { promise: mayFinish, resolve: allowFinish } = Promise.withResolvers<void>();
    const { consumer } = await deployment.startConsumer(
      () => [
        {
          name: 'walk together',
          event: 'userctx.step.taken',
          handle: (event) => Promise.reject(new Error(`${event.key} is poisoned`)),
          handleBatch: async (events) => {
            startFirstBatch();
            await mayFinish;
            sizes.push(events.length);
            if (events.some(({ key }) => key === 'poisoned')) throw new Error('poison');
            done.push(...events.map(({ key, payload }) => `${key} ${payload.step}`));
          },
        },
        stepHandler(async () => void (deliveryCount += 1), 'count'),
      ],
      // Queued retries must not become due during the test.
      { retryPolicy: { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 60_000 } },
    );
    const { scope, outbox } = await deployment.startPublisher();
    const append = (key: string, n: number) =>
      scope.run(() => outbox.append({ name: 'userctx.step.taken', key, payload: { step: n } }));
    await append('first', 1);
    await firstBatchStarted;
    const keys = ['first', 'poisoned', ...Array.from({ length: 20 }, (_, index) => `family ${index}`)];
    for (const key of keys) await append(key, 2);
    await waitFor(() => expect(deliveryCount).toBeGreaterThan(8));
    allowFinish();
    await waitFor(() => expect(done).toHaveLength(22));
    expect(done.filter((step) => step.startsWith('first'))).toEqual(['first 1', 'first 2']);
    expect(new Set(done).size).toBe(22);
    expect(Math.max(...sizes)).toBeGreaterThan(5);
    await waitFor(async () => expect(await consumer.countRetries()).toBe(1));
  });

  test('calls a batch handler after the other handlers of the same envelope', async () => {
    const done: string[] = [];
    await deployment.startConsumer(() => [
      {
        name: 'together',
        event: 'userctx.step.taken',
        handle: () => Promise.reject(new Error('not a batch')),
        handleBatch: async (events) => void done.push(...events.map(({ payload }) => `batch ${payload.step}`)),
      },
      {
        name: 'slow',
        event: ['userctx.step.taken', 'userctx.step.undone'],
        handle: async ({ payload }) => {
          await sleep(50);
          done.push(`other ${payload.step}`);
        },
      },
    ]);
    const { scope, outbox } = await deployment.startPublisher();
    await scope.run(() =>
      outbox.append(
        { name: 'userctx.step.undone', key: 'family', payload: { step: 1 } },
        { name: 'userctx.step.taken', key: 'family', payload: { step: 2 } },
        { name: 'userctx.step.undone', key: 'family', payload: { step: 3 } },
      ),
    );
    await waitFor(() => expect(done).toHaveLength(4));
    expect(done).toEqual(['other 1', 'other 2', 'other 3', 'batch 2']);
  });

  test('calls a batch handler again only after its previous batch', async () => {
    const done: number[] = [];
    let [running, maxConcurrent] = [0, 0];
    await deployment.startConsumer(() => [
      {
        name: 'walk together',
        event: 'userctx.step.taken',
        handle: (event) => Promise.reject(new Error(`${event.key} is handled alone`)),
        handleBatch: async (events) => {
          running += 1;
          maxConcurrent = Math.max(maxConcurrent, running);
          await sleep(50);
          done.push(...events.map(({ payload }) => payload.step));
          running -= 1;
        },
      },
    ]);
    const { scope, outbox } = await deployment.startPublisher();
    for (let n = 0; n < 10; n += 1) {
      await scope.run(() => outbox.append({ name: 'userctx.step.taken', key: `family ${n}`, payload: { step: n } }));
      await sleep(20);
    }
    await waitFor(() => expect(done).toHaveLength(10));
    expect(maxConcurrent).toBe(1);
  });

  test('leaves envelopes on the bus while the retry queue is full', async () => {
    let isBroken = true;
    await deployment.startConsumer(
      (record) => [
        stepHandler(async (event) => {
          if (isBroken && event.key === 'poisoned') throw new Error('poison');
          await record('walk', event);
        }),
      ],
      { maxQueuedRetries: 3, retryPolicy: { maxAttempts: 1_000, baseDelayMs: 50, maxDelayMs: 50 } },
    );
    const publisher = await deployment.startPublisher();
    await publisher.append('poisoned', 1, 2, 3, 4, 5);
    await sleep(800);
    expect(await deployment.countUnpublished()).toBe(5);
    isBroken = false;
    await waitFor(async () => expect(await deployment.listHandledSteps('poisoned')).toEqual([1, 2, 3, 4, 5]));
    await waitFor(async () => expect(await deployment.countUnpublished()).toBe(0));
  });

  test('moves queued retries of a removed handler to the dead letters', async () => {
    const failing = await deployment.startConsumer(
      () => [
        stepHandler(async () => {
          throw new Error('poison');
        }, 'removed'),
      ],
      { retryPolicy: { maxAttempts: 3, baseDelayMs: 60_000, maxDelayMs: 60_000 } },
    );
    const publisher = await deployment.startPublisher();
    await publisher.append('family', 1);
    await waitFor(async () => expect(await failing.consumer.countRetries()).toBe(1));
    await failing.consumer.stop();
    const { schema, executor } = deployment.consumerScope;
    await executor.query(`UPDATE ${schema}.parked SET next_attempt_at = now()`);
    await deployment.startConsumer((record) => [recordingHandler(record)]);
    await waitFor(async () =>
      expect(await deployment.deadLetters.list({ limit: 1 })).toMatchObject([
        { handler: 'removed', lastError: 'Error: Event handler removed does not exist any more' },
      ]),
    );
  });

  test('purges inbox rows past their retention', async () => {
    const { consumer } = await deployment.startConsumer((record) => [recordingHandler(record)], {
      inboxRetentionMs: 60_000,
    });
    const publisher = await deployment.startPublisher();
    await publisher.append('family', 1, 2);
    await waitFor(async () => expect(await deployment.listHandledSteps('family')).toEqual([1, 2]));
    expect(await consumer.purge()).toBe(0);
    const { schema, executor } = deployment.consumerScope;
    await executor.query(`UPDATE ${schema}.inbox SET taken_at = now() - interval '2 minutes'`);
    expect(await consumer.purge()).toBe(2);
  });
});
