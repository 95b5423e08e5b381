import { randomBytes } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/nats-core';
import type { EventBus } from '../../src/event-bus.js';
import { JetStreamEventBus } from '../../src/jetstream-event-bus.js';
import type { BusAdapter } from './bus-adapter.js';
import { connectTestNats } from '@family-watch/testing/service/nats';
import { RecordingLogger } from './recording-logger.js';
import { wipeStream } from './wipe-stream.js';

/** Creates a separate stream for each test; each simulated process has its own connection. */
export async function openJetStreamAdapter(): Promise<BusAdapter & { prefix: string }> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const admin = await connectTestNats();
  const manager = await jetstreamManager(admin);
  const connections = new Map<EventBus, NatsConnection>();

  return {
    prefix,
    openBus: async () => {
      const connection = await connectTestNats();
      const bus = await JetStreamEventBus.open({ connection, prefix, ackWaitMs: 1_000, logger: new RecordingLogger() });
      connections.set(bus, connection);
      return bus;
    },
    crash: async (bus) => {
      await connections.get(bus)?.close();
    },
    wipe: async () => {
      await wipeStream(manager, `${prefix}-events`);
    },
    dispose: async () => {
      await Promise.all([...connections.keys()].map((bus) => bus.close()));
      await Promise.all([...connections.values()].map((connection) => connection.close()));
      await manager.streams.delete(`${prefix}-events`);
      await admin.close();
    },
  };
}
