/** Number of partitions. Events are ordered per key within a partition; partitions are processed concurrently. */
export const PARTITIONS = 16;

/**
 * Returns the partition of a key: FNV-1a (32 bits) of the key's UTF-8 bytes, modulo the number of partitions. Changing
 * this function while events are unpublished breaks the order per key, because events of one key would be in two
 * partitions.
 */
export function partitionOf(key: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(key, 'utf8')) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return (hash >>> 0) % PARTITIONS;
}
