import type { RevocationFeed, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';
import type { Closeable, EventBus } from './event-bus.js';
import { InProcessEventBus } from './in-process-event-bus.js';
import { InProcessSignals } from './in-process-signals.js';
import { JetStreamEventBus } from './jetstream-event-bus.js';
import type { Logger } from './logger.js';
import { connectNats } from './nats-connection.js';
import type { NatsConnectionOptions } from './nats-connection.js';
import { NatsSignals } from './nats-signals.js';
import { InProcessRevocationFeed } from './revocation-feed/in-process-revocation-feed.js';
import { NatsRevocationFeed } from './revocation-feed/nats-revocation-feed.js';
import { NatsRevocationPublisher } from './revocation-feed/nats-revocation-publisher.js';
import type { RevocationSource } from './revocation-feed/revocation-source.js';
import { NoPeers } from './no-peers.js';
import type { Signals } from './signals.js';

/** The side of the revocation feed that userctx runs: it starts once the database can be read. */
export interface RevocationSide extends RevocationPublisher, Closeable {
  start(source: RevocationSource): Promise<void> | void;
}

/** Everything a process needs to talk to the other contexts, whichever way it runs. */
export interface Messaging extends Closeable {
  bus: EventBus;
  signals: Signals;
  /** Signals to the other processes: what this one publishes is not heard here. */
  peers: Signals;
  revocations: RevocationFeed;
  /** For userctx alone: nobody else may end access. */
  openRevocationSide(): Promise<RevocationSide>;
}

/** All apps in one process: nothing to connect to. `consumers` are the apps that take events. */
export function openInProcessMessaging(consumers: readonly string[], logger: Logger): Messaging {
  const bus = new InProcessEventBus({ consumers: [...consumers] });
  const signals = new InProcessSignals(logger);
  const revocations = new InProcessRevocationFeed({ logger });
  return {
    bus,
    signals,
    peers: new NoPeers(),
    revocations,
    openRevocationSide: async () => revocations,
    close: async () => {
      await revocations.close();
      await bus.close();
      await signals.close();
    },
  };
}

export interface NatsMessagingOptions extends NatsConnectionOptions {
  /** First token of streams and subjects: deployments that share a server have one each. */
  prefix: string;
  logger: Logger;
}

/** One app among others on NATS. Rejects when no server answers at its address now; later it reconnects for ever. */
export async function openNatsMessaging(options: NatsMessagingOptions): Promise<Messaging> {
  const { logger, prefix } = options;
  const connection = await connectNats(options);
  const peerConnection = await connectNats(options, { noEcho: true });
  const common = { connection, logger, prefix };
  const bus = await JetStreamEventBus.open(common);
  const signals = new NatsSignals(common);
  const peers = new NatsSignals({ ...common, connection: peerConnection });
  const revocations = await NatsRevocationFeed.open({ ...common, signals });
  return {
    bus,
    signals,
    peers,
    revocations,
    openRevocationSide: () => NatsRevocationPublisher.open({ ...common, signals, feed: revocations }),
    close: async () => {
      await revocations.close();
      await bus.close();
      await signals.close();
      await peers.close();
      await peerConnection.close();
      await connection.close();
    },
  };
}
