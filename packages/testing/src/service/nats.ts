import { jetstreamManager } from '@nats-io/jetstream';
import { connectNats } from '@family-watch/event-bus/nats-connection';
import { countInRun } from '../reporting/run-counters.js';

/** URL of the NATS server that the suites use. */
export const natsUrl = process.env.TEST_NATS_URL ?? 'nats://127.0.0.1:4222';

export const connectTestNats = (url = natsUrl) => connectNats({ url, name: 'tests' });

/**
 * Returns whether NATS is reachable. Throws if TEST_NATS_URL is set but NATS is not reachable, so that suites fail
 * rather than being skipped. Each suite that needs NATS calls `isNatsReachable` once.
 */
export async function isNatsReachable(): Promise<boolean> {
  try {
    const connection = await connectTestNats();
    await connection.close();
    countInRun('nats-suites');
    return true;
  } catch (error) {
    if (process.env.TEST_NATS_URL !== undefined) throw error;
    return false;
  }
}

/** Returns all messages in the streams of one deployment, as text. */
export async function readStreams(prefix: string, url?: string): Promise<string[]> {
  const connection = await connectTestNats(url);
  try {
    const manager = await jetstreamManager(connection);
    const texts: string[] = [];
    for await (const { config, state } of manager.streams.list()) {
      if (!config.name.startsWith(`${prefix}-`)) continue;
      for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
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
