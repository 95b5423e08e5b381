import { describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { BacklogFullError, EventTooLargeError, OutboxOutsideTransactionError } from '../../src/errors.js';
import type { EventBus } from '../../src/event-bus.js';
import { Outbox } from '../../src/outbox.js';
import { OutboxRepository } from '../../src/outbox.repository.js';
import { type TestEvents, recordingHandler, deployment, useDeployment, withPublish } from '../support/deployment.js';
import { openInProcessAdapter } from '../support/in-process-adapter.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('Outbox', () => {
  useDeployment(openInProcessAdapter);

  const step = (key: string, n: number) => ({ name: 'userctx.step.taken' as const, key, payload: { step: n } });
  const openOutbox = (now = Date.now(), onCommitted: () => void = () => undefined) =>
    new Outbox<TestEvents>(deployment.publisherScope, { onCommitted, clock: { now: () => now } });

  test('rejects events outside a transaction', async () => {
    await expect(openOutbox().append(step('family', 1))).rejects.toBeInstanceOf(OutboxOutsideTransactionError);
    expect(await deployment.countUnpublished()).toBe(0);
  });

  test('stores no events of a rolled back transaction and does not notify the relay of it', async () => {
    let notifications = 0;
    const outbox = openOutbox(0, () => notifications++);
    const transaction = deployment.publisherScope.run(async () => {
      await outbox.append(step('family', 1));
      throw new Error('rolled back');
    });
    await expect(transaction).rejects.toThrow('rolled back');
    expect(await deployment.countUnpublished()).toBe(0);
    expect(notifications).toBe(0);
    await deployment.publisherScope.run(() => outbox.append(step('family', 1)));
    expect(notifications).toBe(1);
  });

  test('stores many events in one statement and in order', async () => {
    const steps = Array.from({ length: 1_000 }, (_, n) => step('family', n));
    const outbox = openOutbox(1_700_000_000_000);
    await deployment.publisherScope.run(() => outbox.appendMany(steps));
    const rows = await new OutboxRepository(deployment.publisherScope).findUnpublished([...Array(16).keys()], 2_000);
    expect(rows.map((row) => row.event)).toEqual(
      steps.map((each) => ({ ...each, id: expect.stringMatching(/^[0-9a-f-]{36}$/), time: 1_700_000_000_000 })),
    );
    expect(new Set(rows.map((row) => row.event.id)).size).toBe(1_000);
  });

  test('rejects a payload that exceeds the maximum size', async () => {
    const outbox = new Outbox<{ 'userctx.note.written': { text: string } }>(deployment.publisherScope, {
      onCommitted: () => undefined,
    });
    const transaction = deployment.publisherScope.run(() =>
      outbox.append({ name: 'userctx.note.written', key: 'family', payload: { text: 'é'.repeat(20_000) } }),
    );
    await expect(transaction).rejects.toBeInstanceOf(EventTooLargeError);
  });

  test('rejects events while the number of unpublished events is at its maximum', async () => {
    let isBroken = true;
    const wrapBus = (bus: EventBus) =>
      withPublish(bus, (envelope) => (isBroken ? Promise.reject(new Error('broker is down')) : bus.publish(envelope)));
    await deployment.startConsumer((record) => [recordingHandler(record)]);
    const publisher = await deployment.startPublisher({ maxBacklog: 10, wrapBus });
    await publisher.append('family', ...Array.from({ length: 10 }, (_, n) => n));
    await waitFor(() => expect(publisher.append('family', 10)).rejects.toBeInstanceOf(BacklogFullError));
    expect(await publisher.relay.countBacklog()).toBe(10);
    isBroken = false;
    await waitFor(() => publisher.append('family', 99));
    await waitFor(async () => expect((await deployment.listHandledSteps('family')).at(-1)).toBe(99));
  });

  test('purges only published rows past their retention', async () => {
    const now = 1_800_000_000_000;
    const old = openOutbox(now - 8 * DAY_MS);
    const recent = openOutbox(now - 6 * DAY_MS);
    await deployment.publisherScope.run(() => old.append(step('family', 1)));
    await deployment.publisherScope.run(() => recent.append(step('family', 2)));
    const publisher = await deployment.startPublisher({ clock: { now: () => now } });
    expect(await publisher.relay.purge()).toBe(0);
    await deployment.startConsumer((record) => [recordingHandler(record)]);
    await waitFor(async () => expect(await deployment.countUnpublished()).toBe(0));
    expect(await publisher.relay.purge()).toBe(1);
    expect(await publisher.relay.republish(0)).toBe(1);
    await waitFor(async () => expect(await deployment.countUnpublished()).toBe(0));
    expect(await deployment.listHandledSteps('family')).toEqual([1, 2]);
  });

  test('purges all published rows behind old rows that cannot be published', async () => {
    const now = 1_800_000_000_000;
    const { publisherScope } = deployment;
    await publisherScope.run(() => openOutbox(now - 8 * DAY_MS).append(step('family', 1)));
    await publisherScope.executor.query(
      `INSERT INTO ${publisherScope.schema}.outbox (id, partition, key, name, time, payload, confirmed_at)
       SELECT gen_random_uuid(), partition, key, name, time, payload, now()
       FROM ${publisherScope.schema}.outbox, generate_series(1, 25000)`,
    );
    const wrapBus = (bus: EventBus) => withPublish(bus, () => Promise.reject(new Error('broker is down')));
    const publisher = await deployment.startPublisher({ clock: { now: () => now }, wrapBus });
    expect(await publisher.relay.purge()).toBe(25_000);
    expect(await deployment.countUnpublished()).toBe(1);
  });
});
