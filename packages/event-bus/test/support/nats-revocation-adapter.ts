import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { RevocationFeed } from '@family-watch/domain/kernel/contracts/revocation';
import { NatsPubSub } from '../../src/nats-pub-sub.js';
import { NatsRevocationFeed, type NatsRevocationFeedOptions } from '../../src/revocation-feed/nats-revocation-feed.js';
import { NatsRevocationPublisher } from '../../src/revocation-feed/nats-revocation-publisher.js';
import type { RevocationStreamPosition } from '../../src/revocation-feed/revocation-stream.js';
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
  /** Opens the feed of an app that receives no revocation as a message of core NATS. */
  openFeedWithoutMessages(): Promise<RevocationFeed>;
  /**
   * Publishes an event and lets the server deliver it to another subject of the deployment: its sender pulls it with its
   * consumer and names the subject for the response.
   */
  pullEventTo(subject: string, text: string): Promise<void>;
  /** Returns the position that a heartbeat would contain. */
  position(): Promise<RevocationStreamPosition>;
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

  async function openProcess(
    more: Pick<NatsRevocationFeedOptions, 'source'> = {},
    prepare: (connection: NatsConnection) => void = () => undefined,
  ) {
    const connection = await connectTestNats();
    prepare(connection);
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
    openFeedWithoutMessages: async () => {
      const prepare = (connection: NatsConnection): void => {
        const subscribe = connection.subscribe.bind(connection);
        connection.subscribe = (subject, options) =>
          subscribe(subject === `${prefix}.revocations` ? `${prefix}.unused` : subject, options);
      };
      return (await openProcess({}, prepare)).feed;
    },
    pullEventTo: async (subject, text) => {
      const { name } = (
        await manager.streams.add({
          name: `${prefix}-events`,
          subjects: [`${prefix}.events.*.*`],
        })
      ).config;
      const consumer = { durable_name: 'gateway-gateway-0', ack_policy: AckPolicy.Explicit };
      await manager.consumers.add(name, consumer);
      await jetstream(admin).publish(`${prefix}.events.gateway.0`, text);
      const received = admin.subscribe(`${prefix}.${subject}`, { max: 1 });
      admin.publish(`$JS.API.CONSUMER.MSG.NEXT.${name}.gateway-gateway-0`, '1', { reply: `${prefix}.${subject}` });
      for await (const message of received)
        expect([message.subject, message.string()]).toEqual([`${prefix}.events.gateway.0`, text]);
    },
    position: async () => {
      const { created: identity, state } = await manager.streams.info(`${prefix}-revocations`);
      return { identity, sequence: state.last_seq };
    },
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
      for (const name of ['revocations', 'events'])
        await manager.streams.delete(`${prefix}-${name}`).catch(() => false);
      await admin.close();
    },
  };
}
