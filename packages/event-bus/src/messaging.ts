import type { RevocationFeed, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import type { Closeable, EventBus } from './event-bus.js';
import { InProcessEventBus } from './in-process-event-bus.js';
import { InProcessPubSub, NoopPubSub } from './in-process-pub-sub.js';
import { JetStreamEventBus } from './jetstream-event-bus.js';
import type { EventBusLogger } from './logger.js';
import { waitForNats, type NatsConnectionOptions } from './nats-connection.js';
import { NatsPubSub } from './nats-pub-sub.js';
import { InProcessRevocationFeed } from './revocation-feed/in-process-revocation-feed.js';
import { NatsRevocationFeed } from './revocation-feed/nats-revocation-feed.js';
import { NatsRevocationPublisher } from './revocation-feed/nats-revocation-publisher.js';
import type { RevocationSource } from './revocation-feed/revocation-index.js';
import type { PubSub } from './pub-sub.js';

/** Publisher of the revocation feed, which runs in userctx. userctx starts the publisher when its database is open. */
export interface StartableRevocationPublisher extends RevocationPublisher, Closeable {
  start(source: RevocationSource): Promise<void> | void;
}

/** All messaging that an app needs, in process or over NATS. */
export interface Messaging extends Closeable {
  bus: EventBus;
  pubSub: PubSub;
  /** Pub/sub to the other processes of the deployment; the publishing process does not receive its own messages. */
  peerPubSub: PubSub;
  revocations: RevocationFeed;
  /**
   * Opens the publisher of the revocation feed. Only userctx opens a publisher, because no other app may revoke access.
   */
  openRevocationPublisher(): Promise<StartableRevocationPublisher>;
}

/** Opens messaging for all apps in one process, without a broker. `consumers` are the apps that consume events. */
export function openInProcessMessaging(consumers: readonly string[], logger: EventBusLogger): Messaging {
  const bus = new InProcessEventBus({ consumers: [...consumers] });
  const pubSub = new InProcessPubSub(logger);
  const revocations = new InProcessRevocationFeed({ logger });
  return {
    bus,
    pubSub,
    peerPubSub: new NoopPubSub(),
    revocations,
    openRevocationPublisher: async () => revocations,
    close: async () => {
      await revocations.close();
      await bus.close();
      await pubSub.close();
    },
  };
}

export interface NatsMessagingOptions extends NatsConnectionOptions {
  /** First token of streams and subjects; separates deployments that share a server. */
  prefix: string;
  logger: EventBusLogger;
  /**
   * Source that the revocation feed queries while the stream is unavailable; absent in userctx, which passes its source
   * to the publisher.
   */
  revocationSource?: RevocationSource;
}

/**
 * Opens messaging for one app over NATS. Waits if no NATS server is reachable yet; an open connection reconnects
 * indefinitely.
 */
export async function openNatsMessaging(options: NatsMessagingOptions): Promise<Messaging> {
  const { logger, prefix } = options;
  const connection = await waitForNats(options);
  const peerConnection = await waitForNats(options, { noEcho: true });
  const commonOptions = { connection, logger, prefix };
  const bus = await JetStreamEventBus.open(commonOptions);
  const pubSub = new NatsPubSub(commonOptions);
  const peerPubSub = new NatsPubSub({ ...commonOptions, connection: peerConnection });
  const revocations = await NatsRevocationFeed.open({ ...commonOptions, pubSub, source: options.revocationSource });
  return {
    bus,
    pubSub,
    peerPubSub,
    revocations,
    openRevocationPublisher: () => NatsRevocationPublisher.open({ ...commonOptions, pubSub, feed: revocations }),
    close: async () => {
      await revocations.close();
      await bus.close();
      await pubSub.close();
      await peerPubSub.close();
      await peerConnection.close();
      await connection.close();
    },
  };
}
