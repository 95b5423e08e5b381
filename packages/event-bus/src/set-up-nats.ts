import { EVENT_APPS } from './event-map.js';
import { JetStreamEventStream } from './jetstream-event-stream.js';
import { connectNats } from './nats-connection.js';
import { PARTITIONS } from './partition.js';
import { RevocationStream } from './revocation-feed/revocation-stream.js';

/**
 * Creates the streams and all durable consumers that the apps need, and changes those of another build. Idempotent; may
 * run while apps run. Where the apps' users may not create streams and consumers, this must run before the apps.
 *
 * @param url - NATS_URL of a user that may create streams and consumers
 * @param prefix - first token of streams and subjects
 */
export async function setUpNats(url: string, prefix: string): Promise<void> {
  const connection = await connectNats({ url, name: 'family-watch setup' });
  try {
    await (await RevocationStream.open({ connection, prefix })).ensureExists();
    const events = await JetStreamEventStream.open(connection, { prefix });
    await events.ensureExists();
    for (const app of EVENT_APPS)
      for (const source of EVENT_APPS)
        for (let partition = 0; partition < PARTITIONS; partition += 1)
          await events.ensureConsumer(app, source, partition);
  } finally {
    await connection.close();
  }
}
