import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { BacklogFullError, EventTooLargeError, OutboxOutsideTransactionError } from '../../src/errors.js';
import type { EventBus } from '../../src/event-bus.js';
import { Outbox } from '../../src/outbox.js';
import { OutboxRepository } from '../../src/outbox.repository.js';
import { Deployment, type TestEvents, walker } from '../support/deployment.js';
import { openInProcessAdapter } from '../support/in-process-adapter.js';
import { TestDatabase } from '../support/test-database.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('outbox', () => {
  let database: TestDatabase;
  let deployment: Deployment;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });
  beforeEach(async () => {
    deployment = await Deployment.open(database, openInProcessAdapter);
  });
  afterEach(() => deployment.close());
  afterAll(() => database.drop());

  const step = (key: string, n: number) => ({ name: 'userctx.step.taken' as const, key, payload: { n } });
  const openOutbox = (now = Date.now(), onCommitted: () => void = () => undefined) =>
    new Outbox<TestEvents>(deployment.publisherScope, { onCommitted, clock: { now: () => now } });

  test('refuses events outside a unit of work', async () => {
    await expect(openOutbox().append(step('family', 1))).rejects.toBeInstanceOf(OutboxOutsideTransactionError);
    expect(await deployment.unconfirmed()).toBe(0);
  });

  test('forgets what a rolled back unit appended, and wakes nobody', async () => {
    let woken = 0;
    const outbox = openOutbox(0, () => woken++);
    const unit = deployment.publisherScope.run(async () => {
      await outbox.append(step('family', 1));
      throw new Error('refused');
    });
    await expect(unit).rejects.toThrow('refused');
    expect(await deployment.unconfirmed()).toBe(0);
    expect(woken).toBe(0);
    await deployment.publisherScope.run(() => outbox.append(step('family', 1)));
    expect(woken).toBe(1);
  });

  test('stores many events in one statement, in their order', async () => {
    const steps = Array.from({ length: 1_000 }, (_, n) => step('family', n));
    const outbox = openOutbox(1_700_000_000_000);
    await deployment.publisherScope.run(() => outbox.appendMany(steps));
    const rows = await new OutboxRepository(deployment.publisherScope).findUnpublished([...Array(16).keys()], 2_000);
    expect(rows.map((row) => row.event)).toEqual(
      steps.map((each) => ({ ...each, id: expect.stringMatching(/^[0-9a-f-]{36}$/), time: 1_700_000_000_000 })),
    );
    expect(new Set(rows.map((row) => row.event.id)).size).toBe(1_000);
  });

  test('refuses a payload that no envelope could carry', async () => {
    const outbox = new Outbox<{ 'userctx.note.written': { text: string } }>(deployment.publisherScope, {
      onCommitted: () => undefined,
    });
    const unit = deployment.publisherScope.run(() =>
      outbox.append({ name: 'userctx.note.written', key: 'family', payload: { text: 'é'.repeat(20_000) } }),
    );
    await expect(unit).rejects.toBeInstanceOf(EventTooLargeError);
  });

  test('refuses events when too many are unpublished, until they are published', async () => {
    let broken = true;
    const wrapBus = (bus: EventBus): EventBus => ({
      subscribe: (subscription) => bus.subscribe(subscription),
      position: () => bus.position(),
      close: () => bus.close(),
      publish: (envelope) => (broken ? Promise.reject(new Error('broker is down')) : bus.publish(envelope)),
    });
    await deployment.startConsumer((record) => [walker(record)]);
    const publisher = await deployment.startPublisher({ maxBacklog: 10, wrapBus });
    await publisher.append('family', ...Array.from({ length: 10 }, (_, n) => n));
    await waitFor(() => expect(publisher.append('family', 10)).rejects.toBeInstanceOf(BacklogFullError));
    expect(await publisher.relay.countBacklog()).toBe(10);
    broken = false;
    await waitFor(() => publisher.append('family', 99));
    await waitFor(async () => expect((await deployment.seenOf('family')).at(-1)).toBe(99));
  });

  test('lets old confirmed rows go, and nothing else', async () => {
    const now = 1_800_000_000_000;
    const old = openOutbox(now - 8 * DAY_MS);
    const recent = openOutbox(now - 6 * DAY_MS);
    await deployment.publisherScope.run(() => old.append(step('family', 1)));
    await deployment.publisherScope.run(() => recent.append(step('family', 2)));
    const publisher = await deployment.startPublisher({ clock: { now: () => now } });
    expect(await publisher.relay.purge()).toBe(0);
    await deployment.startConsumer((record) => [walker(record)]);
    await waitFor(async () => expect(await deployment.unconfirmed()).toBe(0));
    expect(await publisher.relay.purge()).toBe(1);
    expect(await publisher.relay.republish(0)).toBe(1);
    await waitFor(async () => expect(await deployment.unconfirmed()).toBe(0));
    expect(await deployment.seenOf('family')).toEqual([1, 2]);
  });
});
