import { randomBytes } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { NatsPubSub } from '../../src/nats-pub-sub.js';
import { NatsRevocationFeed } from '../../src/revocation-feed/nats-revocation-feed.js';
import type { NatsRevocationFeedOptions } from '../../src/revocation-feed/nats-revocation-feed.js';
import { NatsRevocationPublisher } from '../../src/revocation-feed/nats-revocation-publisher.js';
import { connectTestNats } from '@family-watch/testing/service/nats';
import { RecordingLogger } from './recording-logger.js';
import { InMemoryRevocationSource, type RevocationAdapter } from './revocation-adapter.js';
import { wipeStream } from './wipe-stream.js';

export interface NatsRevocationAdapter extends RevocationAdapter {
  /** Starts another publisher replica. */
  startPublisher(): Promise<NatsRevocationPublisher>;
  /** Stops all publishers. */
  stopPublishers(): Promise<void>;
  /** Opens the feed of an app that can also query the source for revocations. */
  openFeedWithSource(): Promise<RevocationFeed>;
  /** Publishes arbitrary text to the stream. */
  publishRaw(text: string): Promise<void>;
  /** Deletes the stream. */
  wipe(): Promise<void>;
}

/** Creates a separate stream for each test; each simulated process has its own connection. */
export async function openNatsRevocationAdapter(): Promise<NatsRevocationAdapter> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const admin = await connectTestNats();
  const manager = await jetstreamManager(admin);
  const source = new InMemoryRevocationSource();
  const logger = new RecordingLogger();
  const connections: NatsConnection[] = [];
  const feeds: NatsRevocationFeed[] = [];
  const publishers: NatsRevocationPublisher[] = [];

  async function openProcess(more: Pick<NatsRevocationFeedOptions, 'source'> = {}) {
    const connection = await connectTestNats();
    connections.push(connection);
    const options = { connection, pubSub: new NatsPubSub({ connection, logger, prefix }), logger, prefix, ...more };
    const feed = await NatsRevocationFeed.open(options);
    feeds.push(feed);
    return { options, feed };
  }

  return {
    source,
    startPublisher: async () => {
      const { options, feed } = await openProcess();
      const publisher = await NatsRevocationPublisher.open({ ...options, feed });
      publisher.start(source);
      publishers.push(publisher);
      return publisher;
    },
    stopPublishers: async () => {
      await Promise.all(publishers.splice(0).map((publisher) => publisher.close()));
    },
    openFeed: async () => (await openProcess()).feed,
    openFeedWithSource: async () => (await openProcess({ source })).feed,
    publishRaw: async (text) => {
      await jetstream(admin).publish(`${prefix}.revocations`, text);
    },
    wipe: async () => {
      await wipeStream(manager, `${prefix}-revocations`);
    },
    dispose: async () => {
      await Promise.all(publishers.map((publisher) => publisher.close()));
      await Promise.all(feeds.map((feed) => feed.close()));
      await Promise.all(connections.map((connection) => connection.close()));
      await manager.streams.delete(`${prefix}-revocations`).catch(() => false);
      await admin.close();
    },
  };
}
