import { jetstreamManager } from '@nats-io/jetstream';
import { connectNats } from '@family-watch/event-bus/nats-connection';
import { natsUrl } from './nats-url.js';

export const connectTestNats = (url = natsUrl) => connectNats({ url, name: 'tests' });

/** Returns all messages in the streams of one deployment, as text. */
export async function readStreams(prefix: string, url?: string): Promise<string[]> {
  const connection = await connectTestNats(url);
  try {
    const manager = await jetstreamManager(connection);
    const texts: string[] = [];
    for await (const { config, state } of manager.streams.list()) {
      if (!config.name.startsWith(`${prefix}-`)) continue;
      // A stream that never contained a message has 0 as its first sequence number, which no message has.
      for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
        const message = await manager.streams.getMessage(config.name, { seq });
        if (message) texts.push(message.string());
      }
    }
    return texts;
  } finally {
    await connection.close();
  }
}

/** Deletes the streams of one deployment, which are named `<prefix>-…`, from the NATS server at `url`. */
export async function deleteStreams(prefix: string, url?: string): Promise<void> {
  const connection = await connectTestNats(url);
  try {
    const manager = await jetstreamManager(connection);
    for await (const name of manager.streams.names())
      if (name.startsWith(`${prefix}-`)) await manager.streams.delete(name);
  } finally {
    await connection.close();
  }
}
