/** Order is kept per key inside a partition, and partitions travel side by side. */
export const PARTITIONS = 16;

/**
 * FNV-1a (32 bits) of the key's UTF-8 bytes, modulo the partitions. Changing it while events are under way
 * breaks the order per key, because two events of one key would travel in two partitions.
 */
export function partitionOf(key: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key, 'utf8')) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0) % PARTITIONS;
}
