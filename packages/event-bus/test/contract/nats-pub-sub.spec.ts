import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { NatsPubSub } from '../../src/nats-pub-sub.js';
import { connectTestNats, isNatsReachable, natsUrl } from '@family-watch/testing/service/nats';
import { RecordingLogger } from '../support/recording-logger.js';
import { describePubSub, type PubSubAdapter } from './pub-sub.contract.js';

async function openAdapter(logger: RecordingLogger): Promise<PubSubAdapter> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const [sending, receiving] = await Promise.all([connectTestNats(), connectTestNats()]);
  const sender = new NatsPubSub({ connection: sending, logger, prefix });
  const receiver = new NatsPubSub({ connection: receiving, logger, prefix });
  return {
    sender,
    receiver,
    settle: () => receiving.flush(),
    dispose: async () => {
      await Promise.all([sender.close(), receiver.close()]);
      await Promise.all([sending.close(), receiving.close()]);
    },
  };
}

if (await isNatsReachable()) {
  describe('core NATS', () => {
    describePubSub(openAdapter);

    test('tells when the connection goes down and comes back, and drops what is sent meanwhile', async () => {
      const connection = await connectTestNats();
      const pubSub = new NatsPubSub({ connection, logger: new RecordingLogger(), prefix: 'test-reconnect' });
      const told: [string, boolean][] = [];
      const heard: unknown[] = [];
      pubSub.subscribe('mailbox', (data) => heard.push(data));
      pubSub.onDisconnect(() => {
        told.push(['disconnect', pubSub.connected]);
        pubSub.publish('mailbox', 'lost');
      });
      pubSub.onReconnect(() => told.push(['reconnect', pubSub.connected]));
      await connection.flush();
      await connection.reconnect();
      await waitFor(() => expect(told).toHaveLength(2));
      expect(told).toEqual([
        ['disconnect', false],
        ['reconnect', true],
      ]);
      pubSub.publish('mailbox', 'arrives');
      await waitFor(() => expect(heard).toEqual(['arrives']));
      await pubSub.close();
      await connection.close();
    });
  });
} else {
  describe.skip(`core NATS: no NATS reachable at ${natsUrl}, not run`, () => {
    test('pub/sub contract', () => undefined);
  });
}
