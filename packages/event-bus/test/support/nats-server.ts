import { markServiceUsed } from '@family-watch/testing/reporting/backing-service-use';
import type { NatsConnection } from '@nats-io/nats-core';
import { connectNats } from '../../src/nats-connection.js';

export const natsUrl = process.env.TEST_NATS_URL ?? 'nats://127.0.0.1:4222';

export function connectTestNats(): Promise<NatsConnection> {
  return connectNats({ url: natsUrl, name: 'event-bus tests' });
}

/** A server that is named has to answer: then suites fail instead of being skipped. Asked once by each suite that needs a server. */
export async function natsAnswers(): Promise<boolean> {
  try {
    const connection = await connectTestNats();
    await connection.close();
    markServiceUsed('nats');
    return true;
  } catch (error) {
    if (process.env.TEST_NATS_URL !== undefined) throw error;
    return false;
  }
}
