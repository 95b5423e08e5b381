import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createEnvelope } from '../../src/envelope.js';
import { deleteEventStream } from '../../src/jetstream-event-stream.js';
import { openJetStreamAdapter } from '../support/jetstream-adapter.js';
import { needs } from '@family-watch/testing/requirements/needs';
import { connectTestNats } from '@family-watch/testing/service/nats';
import { describeDelivery } from './delivery.contract.js';
import { describeMalformedMessages } from './jetstream-malformed-messages.contract.js';
import { describeRecovery } from './recovery.contract.js';

// Some tests wait until leases, heartbeats and acknowledgements expire.
needs('nats').describe('JetStreamEventBus', () => {
  describeDelivery(openJetStreamAdapter);
  describeRecovery(openJetStreamAdapter);
  describeMalformedMessages();

  test('deleteEventStream deletes the events of a deployment; the next access creates an empty stream', async () => {
    const adapter = await openJetStreamAdapter();
    const bus = await adapter.openBus();
    const event = { id: randomUUID(), name: 'userctx.step.taken', key: 'family', time: 0, payload: {} };
    await bus.publish(createEnvelope('userctx', 0, [event]));
    const before = await bus.position();
    const connection = await connectTestNats();
    for (let time = 0; time < 2; time += 1) await deleteEventStream(connection, adapter.prefix);
    await connection.close();
    const after = await bus.position();
    expect([before.sequence, after.sequence, after.identity === before.identity]).toEqual([1, 0, false]);
    await adapter.dispose();
  });
});
