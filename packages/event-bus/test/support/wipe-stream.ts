import type { JetStreamManager } from '@nats-io/jetstream';

/**
 * Deletes a stream while publishers and consumers use it, like a broker that has lost its data. During the deletion, a
 * second stream occupies the subjects, so that no process can create the stream again before the deletion is complete:
 * NATS 2.9 would delete the files of the new stream as well.
 */
export async function wipeStream(manager: JetStreamManager, name: string): Promise<void> {
  const { config } = await manager.streams.info(name);
  await manager.streams.update(name, { subjects: [`${name}.unused`] });
  await manager.streams.add({ name: `${name}-placeholder`, subjects: config.subjects });
  await manager.streams.delete(name);
  await manager.streams.delete(`${name}-placeholder`);
}
