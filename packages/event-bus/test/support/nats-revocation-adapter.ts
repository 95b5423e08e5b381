import { randomBytes } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import { NatsPubSub } from '../../src/nats-pub-sub.js';
import { NatsRevocationFeed } from '../../src/revocation-feed/nats-revocation-feed.js';
import { NatsRevocationPublisher } from '../../src/revocation-feed/nats-revocation-publisher.js';
import { connectTestNats } from '@family-watch/testing/service/nats';
import { RecordingLogger } from './recording-logger.js';
import { RecordedRevocations, type RevocationAdapter } from './revocation-adapter.js';

export interface NatsRevocationAdapter extends RevocationAdapter {
  /** Another replica of the writing side. */
  startWriting(): Promise<NatsRevocationPublisher>;
  /** The writing side is gone without a word. */
  stopWriting(): Promise<void>;
  /** Somebody else writes to the stream. */
  publishRaw(text: string): Promise<void>;
  /** The server lost the stream. */
  wipe(): Promise<void>;
}

/** A stream of its own for each test; each "process" has a connection of its own. */
export async function openNatsRevocationAdapter(): Promise<NatsRevocationAdapter> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const admin = await connectTestNats();
  const manager = await jetstreamManager(admin);
  const source = new RecordedRevocations();
  const logger = new RecordingLogger();
  const connections: NatsConnection[] = [];
  const feeds: NatsRevocationFeed[] = [];
  const writers: NatsRevocationPublisher[] = [];

  async function process() {
    const connection = await connectTestNats();
    connections.push(connection);
    const options = { connection, pubSub: new NatsPubSub({ connection, logger, prefix }), logger, prefix };
    const feed = await NatsRevocationFeed.open(options);
    feeds.push(feed);
    return { options, feed };
  }

  return {
    source,
    startWriting: async () => {
      const { options, feed } = await process();
      const writer = await NatsRevocationPublisher.open({ ...options, feed });
      writer.start(source);
      writers.push(writer);
      return writer;
    },
    stopWriting: async () => {
      await Promise.all(writers.splice(0).map((writer) => writer.close()));
    },
    openFeed: async () => (await process()).feed,
    publishRaw: async (text) => {
      await jetstream(admin).publish(`${prefix}.revocations`, text);
    },
    wipe: async () => {
      await manager.streams.delete(`${prefix}-revocations`);
    },
    dispose: async () => {
      await Promise.all(writers.map((writer) => writer.close()));
      await Promise.all(feeds.map((feed) => feed.close()));
      await Promise.all(connections.map((connection) => connection.close()));
      await manager.streams.delete(`${prefix}-revocations`).catch(() => false);
      await admin.close();
    },
  };
}
