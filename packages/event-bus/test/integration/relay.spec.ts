import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { Envelope } from '../../src/envelope.js';
import type { EventBus, StreamPosition } from '../../src/event-bus.js';
import { InProcessPubSub } from '../../src/in-process-pub-sub.js';
import { partitionOf } from '../../src/partition.js';
import { neighbourOf } from '../support/keys.js';
import { Deployment } from '../support/deployment.js';
import { openInProcessAdapter } from '../support/in-process-adapter.js';
import { TestDatabase } from '../support/test-database.js';

/** A bus with a stream that tests can damage. */
class FakeStream implements EventBus {
  stream: StreamPosition = { identity: 'first', sequence: 0 };
  envelopes: Envelope[] = [];
  refused: number | null = null;

  async publish(envelope: Envelope): Promise<{ sequence: number }> {
    if (envelope.partition === this.refused) throw new Error('refused');
    this.envelopes.push(envelope);
    this.stream = { ...this.stream, sequence: this.stream.sequence + 1 };
    return { sequence: this.stream.sequence };
  }

  async position(): Promise<StreamPosition> {
    return this.stream;
  }

  async subscribe(): Promise<{ close(): Promise<void> }> {
    throw new Error('nobody subscribes here');
  }

  async close(): Promise<void> {
    this.envelopes = [];
  }

  steps(): unknown[] {
    return this.envelopes.flatMap((envelope) => envelope.events.map((event) => event.payload));
  }
}

describe('relay', () => {
  let database: TestDatabase;
  let deployment: Deployment;
  let bus: FakeStream;

  beforeAll(async () => {
    database = await TestDatabase.create();
  });
  beforeEach(async () => {
    deployment = await Deployment.open(database, openInProcessAdapter);
    bus = new FakeStream();
  });
  afterEach(() => deployment.close());
  afterAll(() => database.drop());

  const confirmed = (total: number) =>
    waitFor(async () => {
      expect(bus.steps()).toHaveLength(total);
      expect(await deployment.unconfirmed()).toBe(0);
    });

  test.each([
    ['is new', { identity: 'second', sequence: 0 }],
    ['is new and already longer', { identity: 'second', sequence: 50 }],
    ['has lost its tail', { identity: 'first', sequence: 1 }],
  ])('publishes everything again, in order, when the stream %s', async (_, damaged) => {
    const { append } = await deployment.startPublisher({ wrapBus: () => bus });
    for (const n of [1, 2, 3]) {
      await append('family', n);
      await confirmed(n);
    }
    bus.envelopes = [];
    bus.stream = damaged;
    await confirmed(3);
    expect(bus.steps()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(deployment.logger.lines.map((line) => line.message)).toContain(
      'Event stream lost events, republishing',
    );
  });

  test('notices a lost tail that was lost while no relay ran', async () => {
    const first = await deployment.startPublisher({ wrapBus: () => bus });
    await first.append('family', 1);
    await first.append('other', 2);
    await confirmed(2);
    await first.relay.stop();
    bus.envelopes = [];
    bus.stream = { identity: 'first', sequence: 0 };
    await deployment.startPublisher({ wrapBus: () => bus });
    await confirmed(2);
  });

  test('publishes nothing again while the stream is the same', async () => {
    const first = await deployment.startPublisher({ wrapBus: () => bus });
    await first.append('family', 1);
    await confirmed(1);
    await first.relay.stop();
    const second = await deployment.startPublisher({ wrapBus: () => bus });
    await second.append('family', 2);
    await confirmed(2);
    expect(bus.steps()).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('a partition that is refused does not hold up the others', async () => {
    bus.refused = partitionOf('stuck');
    const { append } = await deployment.startPublisher({ wrapBus: () => bus });
    await append('stuck', ...Array.from({ length: 500 }, (_, n) => n));
    await append(neighbourOf('stuck'), 1);
    await append('stuck-not', 7);
    expect(partitionOf('stuck-not')).not.toBe(bus.refused);
    await waitFor(() => expect(bus.steps()).toEqual([{ n: 7 }]));
    bus.refused = null;
    await confirmed(502);
    expect(Math.max(...bus.envelopes.map((envelope) => envelope.events.length))).toBe(100);
  });

  test('a commit in another process wakes the one that relays', async () => {
    const pubSub = new InProcessPubSub(deployment.logger);
    const slow = { wrapBus: () => bus, leaseMs: 60_000, pollMs: 20_000, pubSub };
    const holder = await deployment.startPublisher(slow);
    await holder.append('family', 1);
    await confirmed(1);
    const other = await deployment.startPublisher(slow);
    await other.append('family', 2);
    await confirmed(2);
    await pubSub.close();
  });
});
