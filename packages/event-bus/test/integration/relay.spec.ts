import { beforeEach, describe, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { Envelope } from '../../src/envelope.js';
import type { EventBus, StreamPosition } from '../../src/event-bus.js';
import { InProcessPubSub } from '../../src/in-process-pub-sub.js';
import { partitionOf } from '../../src/partition.js';
import { otherKeyInSamePartition } from '../support/keys.js';
import { deployment, useDeployment } from '../support/deployment.js';
import { openInProcessAdapter } from '../support/in-process-adapter.js';

/** A bus with a stream that tests can replace or truncate. */
class FakeStreamBus implements EventBus {
  stream: StreamPosition = { identity: 'first', sequence: 0 };
  envelopes: Envelope[] = [];
  rejectedPartition: number | null = null;

  async publish(envelope: Envelope): Promise<{ sequence: number }> {
    if (envelope.partition === this.rejectedPartition) throw new Error('rejected');
    this.envelopes.push(envelope);
    this.stream = { ...this.stream, sequence: this.stream.sequence + 1 };
    return { sequence: this.stream.sequence };
  }

  async position(): Promise<StreamPosition> {
    return this.stream;
  }

  async subscribe(): Promise<{ close(): Promise<void> }> {
    throw new Error('not implemented');
  }

  async close(): Promise<void> {
    this.envelopes = [];
  }

  steps(): unknown[] {
    return this.envelopes.flatMap((envelope) => envelope.events.map((event) => event.payload));
  }
}

describe('OutboxRelay', () => {
  useDeployment(openInProcessAdapter);
  let bus: FakeStreamBus;
  beforeEach(() => {
    bus = new FakeStreamBus();
  });

  const waitForPublished = (total: number) =>
    waitFor(async () => {
      expect(bus.steps()).toHaveLength(total);
      expect(await deployment.countUnpublished()).toBe(0);
    });

  test.each([
    ['was recreated', { identity: 'second', sequence: 0 }],
    ['was recreated and has a higher sequence number', { identity: 'second', sequence: 50 }],
    ['has lost its newest messages', { identity: 'first', sequence: 1 }],
  ])('republishes all events in order when the stream %s', async (_, damaged) => {
    const { append } = await deployment.startPublisher({ wrapBus: () => bus });
    for (const n of [1, 2, 3]) {
      await append('family', n);
      await waitForPublished(n);
    }
    bus.envelopes = [];
    bus.stream = damaged;
    await waitForPublished(3);
    expect(bus.steps()).toEqual([{ step: 1 }, { step: 2 }, { step: 3 }]);
    expect(deployment.logger.lines.map((line) => line.message)).toContain('Event stream lost events, republishing');
  });

  test('detects messages that the stream lost while no relay ran', async () => {
    const first = await deployment.startPublisher({ wrapBus: () => bus });
    await first.append('family', 1);
    await first.append('other', 2);
    await waitForPublished(2);
    await first.relay.stop();
    bus.envelopes = [];
    bus.stream = { identity: 'first', sequence: 0 };
    await deployment.startPublisher({ wrapBus: () => bus });
    await waitForPublished(2);
  });

  test('republishes nothing while the stream is unchanged', async () => {
    const first = await deployment.startPublisher({ wrapBus: () => bus });
    await first.append('family', 1);
    await waitForPublished(1);
    await first.relay.stop();
    const second = await deployment.startPublisher({ wrapBus: () => bus });
    await second.append('family', 2);
    await waitForPublished(2);
    expect(bus.steps()).toEqual([{ step: 1 }, { step: 2 }]);
  });

  test('publishes events of other partitions without delay while the envelope of one partition is rejected', async () => {
    bus.rejectedPartition = partitionOf('stuck');
    const { append } = await deployment.startPublisher({ wrapBus: () => bus });
    await append('stuck', ...Array.from({ length: 500 }, (_, n) => n));
    await append(otherKeyInSamePartition('stuck'), 1);
    await append('stuck-not', 7);
    expect(partitionOf('stuck-not')).not.toBe(bus.rejectedPartition);
    await waitFor(() => expect(bus.steps()).toEqual([{ step: 7 }]));
    bus.rejectedPartition = null;
    await waitForPublished(502);
    expect(Math.max(...bus.envelopes.map((envelope) => envelope.events.length))).toBe(100);
  });

  test('publishes an event of another process without polling, because the commit notifies the lease holder', async () => {
    const pubSub = new InProcessPubSub(deployment.logger);
    const slow = { wrapBus: () => bus, leaseMs: 60_000, pollIntervalMs: 20_000, pubSub };
    const holder = await deployment.startPublisher(slow);
    await holder.append('family', 1);
    await waitForPublished(1);
    const other = await deployment.startPublisher(slow);
    await other.append('family', 2);
    await waitForPublished(2);
    await pubSub.close();
  });
});
