import { describe, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { NatsSignals } from '../../src/nats-signals.js';
import { eventually } from '../support/eventually.js';
import { connectTestNats, natsAnswers, natsUrl } from '../support/nats-server.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { describeSignals, type SignalsAdapter } from './signals.contract.js';

async function openAdapter(logger: RecordingLogger): Promise<SignalsAdapter> {
  const prefix = `test-${randomBytes(6).toString('hex')}`;
  const [sending, receiving] = await Promise.all([connectTestNats(), connectTestNats()]);
  const sender = new NatsSignals({ connection: sending, logger, prefix });
  const receiver = new NatsSignals({ connection: receiving, logger, prefix });
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

if (await natsAnswers()) {
  describe('core NATS', () => {
    describeSignals(openAdapter);

    test('tells when the connection goes down and comes back, and drops what is sent meanwhile', async () => {
      const connection = await connectTestNats();
      const signals = new NatsSignals({ connection, logger: new RecordingLogger(), prefix: 'test-reconnect' });
      const told: [string, boolean][] = [];
      const heard: unknown[] = [];
      signals.subscribe('mailbox', (data) => heard.push(data));
      signals.onDisconnect(() => {
        told.push(['disconnect', signals.connected]);
        signals.publish('mailbox', 'lost');
      });
      signals.onReconnect(() => told.push(['reconnect', signals.connected]));
      await connection.flush();
      await connection.reconnect();
      await eventually(() => expect(told).toHaveLength(2));
      expect(told).toEqual([
        ['disconnect', false],
        ['reconnect', true],
      ]);
      signals.publish('mailbox', 'arrives');
      await eventually(() => expect(heard).toEqual(['arrives']));
      await signals.close();
      await connection.close();
    });
  });
} else {
  describe.skip(`core NATS: no NATS reachable at ${natsUrl}, not run`, () => {
    test('signals contract', () => undefined);
  });
}
