import { expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { NatsPubSub } from '../../src/nats-pub-sub.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { connectTestNats } from '@family-watch/testing/service/nats';
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
    flush: () => receiving.flush(),
    dispose: async () => {
      await Promise.all([sender.close(), receiver.close()]);
      await Promise.all([sending.close(), receiving.close()]);
    },
  };
}

needs('nats').describe('NatsPubSub', () => {
  describePubSub(openAdapter);

  test('notifies of disconnect and reconnect, and drops messages published while it is disconnected', async () => {
    const connection = await connectTestNats();
    const pubSub = new NatsPubSub({ connection, logger: new RecordingLogger(), prefix: 'test-reconnect' });
    const notifications: [string, boolean][] = [];
    const received: unknown[] = [];
    pubSub.subscribe('mailbox', (data) => received.push(data));
    pubSub.onDisconnect(() => {
      notifications.push(['disconnect', pubSub.connected]);
      pubSub.publish('mailbox', 'lost');
    });
    pubSub.onReconnect(() => notifications.push(['reconnect', pubSub.connected]));
    await connection.flush();
    await connection.reconnect();
    await waitFor(() => expect(notifications).toHaveLength(2));
    expect(notifications).toEqual([
      ['disconnect', false],
      ['reconnect', true],
    ]);
    pubSub.publish('mailbox', 'arrives');
    await waitFor(() => expect(received).toEqual(['arrives']));
    await pubSub.close();
    await connection.close();
  });
});
